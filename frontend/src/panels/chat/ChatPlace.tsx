import clsx from 'clsx';
import { FlaskConical, Sparkles, SquarePen } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { NotStarted } from '@/app/FirstLook';
import { useSessions } from '@/app/queries';
import { ReloadNotice } from '@/app/Reload';
import { useServices } from '@/app/services';
import type { Overview, SessionRow } from '@/bridge';
import { Badge, Button, Notice } from '@/components';
import { QuestionCards } from '@/panels/questions/QuestionCard';
import { useWords } from '@/words';
import { Thread } from './Thread';

// What the built-in demo answers; it is a rule of that model and has no translation.
const demoQuestion = 'Skim these files and file a ticket';

/** The place of the conversations: past ones on the left, one on the right. Answering is the question a person came for. */
export function ChatPlace({ overview, answering }: { overview: Overview | undefined; answering: string | null }) {
  const { t } = useWords();
  const { chat, reloads } = useServices();
  const show = (session: string | null) => {
    reloads.close();
    chat.show(session);
  };
  const state = useSyncExternalStore(chat.subscribe, chat.get);
  const { data: sessions = [] } = useSessions();
  const title = sessions.find((row) => row.session === state.session)?.title;
  return (
    <div className="flex min-h-0 flex-1">
      <aside aria-label={t('chat.sessions')} className="flex w-56 shrink-0 flex-col border-r border-line lg:w-76">
        <div className="flex items-center justify-between px-5 pt-5 pb-3">
          <h1 className="text-title font-semibold tracking-tight">{t('chat.title')}</h1>
          <Button small icon={<SquarePen />} onClick={() => show(null)}>
            {t('chat.new')}
          </Button>
        </div>
        <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
          {sessions.length === 0 ? (
            <p className="px-3 py-2 text-small text-ink-faint">{t('chat.noSessions')}</p>
          ) : (
            <SessionList sessions={sessions} selected={state.session} onSelect={show} />
          )}
        </div>
      </aside>
      <main tabIndex={-1} id="main" className="flex min-w-0 flex-1 flex-col">
        <header className="flex h-13 shrink-0 items-center justify-between gap-4 border-b border-line px-6">
          <h2 className="truncate font-medium">{title || t('chat.newTitle')}</h2>
          <ModelBadge overview={overview} />
        </header>
        <Thread
          key={state.session ?? 'new'}
          chat={chat}
          state={state}
          notices={
            <>
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

function SessionList({ sessions, selected, onSelect }: { sessions: readonly SessionRow[]; selected: string | null; onSelect: (session: string) => void }) {
  const { t, language } = useWords();
  const when = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <ul aria-label={t('chat.sessions')} className="space-y-0.5">
      {sessions.map((row) => {
        const started = new Date(row.started);
        return (
          <li key={row.session}>
            <button
              type="button"
              aria-current={row.session === selected ? 'true' : undefined}
              onClick={() => onSelect(row.session)}
              className={clsx(
                'block w-full rounded-xl px-3 py-2 text-left transition-colors',
                row.session === selected ? 'bg-surface shadow-card dark:bg-raised' : 'hover:bg-surface/60 dark:hover:bg-raised/50',
              )}
            >
              <span className="block truncate font-medium">{row.title || t('chat.untitled')}</span>
              <span className="numbers block text-tiny text-ink-faint">
                {Number.isNaN(started.getTime()) ? row.started : when.format(started)} · {t('chat.messages', { count: row.messages })}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
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
