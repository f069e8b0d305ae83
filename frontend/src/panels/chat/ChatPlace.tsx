import { FlaskConical, Sparkles, SquarePen } from 'lucide-react';
import { useState, useSyncExternalStore } from 'react';
import { NotStarted } from '@/app/FirstLook';
import { useSessions } from '@/app/queries';
import { ReloadNotice } from '@/app/Reload';
import { useServices } from '@/app/services';
import type { CallError, Overview } from '@/bridge';
import { Badge, Button, Notice } from '@/components';
import { QuestionCards } from '@/panels/questions/QuestionCard';
import { useWords } from '@/words';
import { Sessions } from './Sessions';
import { SessionFailure, SessionTools } from './SessionTools';
import { Thread } from './Thread';
import { useUsageWords } from './usage';

// What the built-in demo answers; it is a rule of that model and has no translation.
const demoQuestion = 'Skim these files and file a ticket';

/** The place of the conversations: past ones on the left, one on the right. Answering is the question a person came for. */
export function ChatPlace({ overview, answering }: { overview: Overview | undefined; answering: string | null }) {
  const { t } = useWords();
  const { chat, reloads } = useServices();
  const show = (session: string | null) => {
    reloads.close();
    setFailure(null);
    chat.show(session);
  };
  const state = useSyncExternalStore(chat.subscribe, chat.get);
  const { data: sessions = [] } = useSessions();
  const usage = useUsageWords();
  const [failure, setFailure] = useState<CallError | null>(null);
  const row = sessions.find((one) => one.session === state.session);
  const title = row?.title || (row ? t('chat.untitled') : t('chat.newTitle'));
  return (
    <div className="flex min-h-0 flex-1">
      <aside aria-label={t('chat.sessions')} className="flex w-56 shrink-0 flex-col border-r border-line lg:w-76">
        <div className="flex items-center justify-between px-5 pt-5 pb-3">
          <h1 className="text-title font-semibold tracking-tight">{t('chat.title')}</h1>
          <Button small icon={<SquarePen />} onClick={() => show(null)}>
            {t('chat.new')}
          </Button>
        </div>
        <Sessions selected={state.session} onSelect={show} />
      </aside>
      <main tabIndex={-1} id="main" className="flex min-w-0 flex-1 flex-col">
        <header className="flex h-13 shrink-0 items-center justify-between gap-4 border-b border-line px-6">
          <h2 className="min-w-0 truncate font-medium">{title}</h2>
          <div className="flex shrink-0 items-center gap-2">
            {row?.usage && (
              <span className="numbers hidden text-tiny text-ink-faint md:inline" title={usage.long(row.usage)}>
                {usage.short(row.usage)}
              </span>
            )}
            <ModelBadge overview={overview} />
            {row && <SessionTools key={row.session} session={row.session} title={title} running={state.shown.running} onFailure={setFailure} />}
          </div>
        </header>
        <Thread
          key={state.session ?? 'new'}
          chat={chat}
          state={state}
          notices={
            <>
              <SessionFailure error={failure} onClose={() => setFailure(null)} />
              <QuestionCards focused={answering} />
              <Notices overview={overview} />
            </>
          }
          focus={answering === null}
          suggestions={overview?.offline_model ? [demoQuestion] : []}
          blocked={overview?.model === ''}
        />
      </main>
    </div>
  );
}

function ModelBadge({ overview }: { overview: Overview | undefined }) {
  const { t } = useWords();
  if (!overview || overview.model === '') return null;
  return overview.offline_model ? (
    <Badge tone="warn" icon={<FlaskConical />}>
      {t('model.offline')}
    </Badge>
  ) : (
    <Badge icon={<Sparkles />}>{overview.model}</Badge>
  );
}

function Notices({ overview }: { overview: Overview | undefined }) {
  const { t } = useWords();
  return (
    <>
      <ReloadNotice />
      {overview?.model_problem && (
        <Notice tone="warn" kind={t('model.problem')}>
          {overview.model_problem}
        </Notice>
      )}
      {overview && !overview.started && <NotStarted overview={overview} />}
    </>
  );
}
