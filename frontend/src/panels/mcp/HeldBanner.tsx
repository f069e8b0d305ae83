import { Check, Lock, ShieldAlert, Undo2, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { isWriting } from '@/app/edits';
import { useEdits } from '@/app/queries';
import type { ServerDetail } from '@/bridge';
import { Button, Confirm } from '@/components';
import type { PolicyServer, Preview } from '@/policy';
import { useWords } from '@/words';
import { Effect } from './Effect';
import { placeOf } from './faces';
import { usePanelWords } from './words';

/** The ways out of a hold; nothing else ends it. The first one loses nothing. */
type Way = 'restore' | 'lock' | 'open';

const isOffered = (detail: ServerDetail, way: Way) => detail.server.tools.hold?.ways.includes(way) ?? false;

const ways: readonly { way: Way; icon: LucideIcon }[] = [
  { way: 'restore', icon: Undo2 },
  { way: 'lock', icon: Lock },
  { way: 'open', icon: Check },
];

interface HeldBannerProps {
  detail: ServerDetail;
  rules: PolicyServer | null;
  path: string;
}

/** A server whose restriction is gone from the file and still in force: both sides, and the ways out. */
export function HeldBanner({ detail, rules, path }: HeldBannerProps) {
  const { t, say } = useWords();
  const panel = usePanelWords();
  const { server } = detail;
  if (!server.tools.held) return null;
  const file = rules?.preview({ action: 'open' });
  const back = rules?.preview({ action: 'restore' });
  const { hold } = server.tools;
  const textOf = (one: typeof hold) => {
    if (one?.waits) return t('held.waits');
    return (one?.present ?? []).length > 0 ? t('held.rewritten') : t('held.text');
  };
  return (
    <section aria-label={t('held.kind')} className="rounded-2xl border border-lock/40 bg-lock-soft p-4">
      <h3 className="flex items-center gap-2 font-semibold text-lock">
        <ShieldAlert aria-hidden="true" className="size-4.5 shrink-0" />
        <span role="status" className="numbers">
          {rules ? panel(server) : t('held.title')}
        </span>
      </h3>
      <p className="mt-1 text-small text-ink">{textOf(hold)}</p>
      <dl className="numbers mt-3 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-small text-ink">
        <dt className="text-ink-soft">{t('held.file')}</dt>
        <dd>
          {file && file.outcome !== 'refused' ? say(file.panel) : (server.tools.file?.words ?? '')}{' '}
          <span className="font-mono text-tiny text-ink-soft [overflow-wrap:anywhere]">({placeOf(path, server.line)})</span>
        </dd>
        <dt className="text-ink-soft">{t('held.inForce')}</dt>
        <dd className="font-medium">{back && back.outcome !== 'refused' ? say(back.panel) : hold && hold.present.length === 0 && !hold.waits ? hold.was : say(server.tools.list)}</dd>
        {hold && hold.present.length > 0 && (
          <>
            <dt className="text-ink-soft">{t('held.present')}</dt>
            <dd className="font-mono text-tiny leading-5 [overflow-wrap:anywhere]">{hold.present.join(', ')}</dd>
            <dt className="text-ink-soft">{t('held.holds')}</dt>
            <dd className="font-mono text-tiny leading-5 [overflow-wrap:anywhere]">{hold.texts.join(', ')}</dd>
          </>
        )}
        {hold && hold.keys.length > 0 && (
          <>
            <dt className="text-ink-soft">{t('held.gone')}</dt>
            <dd>
              <span className="font-mono text-tiny leading-5">{hold.keys.join(', ')}</span>
              {!rules && ` ${t('held.since', { day: hold.since })}`}
            </dd>
          </>
        )}
      </dl>
      <WaysOut detail={detail} rules={rules} />
    </section>
  );
}

/** What a person is asked about, as it was seen when the question came up. */
interface Question {
  way: Way;
  revision: string;
  preview: Preview;
}

function WaysOut({ detail, rules }: { detail: ServerDetail; rules: PolicyServer | null }) {
  const { t } = useWords();
  const { edits, state } = useEdits();
  const [question, setQuestion] = useState<Question | null>(null);
  const [asking, setAsking] = useState(false);
  const { server, revision } = detail;
  const way = question?.way ?? 'restore';
  // What cannot be written back is not offered; the program knows.
  const offered = ways.filter((one) => isOffered(detail, one.way));
  const busy = isWriting(state, server.name);
  return (
    <div className="mt-3.5 flex flex-wrap gap-2">
      {offered.map(({ way: one, icon: Icon }) => (
        <Button
          key={one}
          icon={<Icon />}
          look={one === 'restore' ? 'primary' : 'plain'}
          disabled={busy || !rules}
          onClick={() => {
            if (!rules) return;
            setQuestion({ way: one, revision, preview: rules.preview({ action: one }) });
            setAsking(true);
          }}
        >
          {t(`held.${one}.button`)}
        </Button>
      ))}
      <Confirm
        open={asking}
        danger={way === 'open'}
        blocked={question?.preview.outcome === 'refused'}
        title={t(`held.${way}.title`, { server: server.name })}
        confirm={t(`held.${way}.confirm`)}
        cancel={t('cancel')}
        onClose={() => setAsking(false)}
        onConfirm={() => question && void edits[way](server.name, question.revision)}
      >
        <p>{t(`held.${way}.text`)}</p>
        <Effect server={server} preview={question?.preview ?? null} />
      </Confirm>
    </div>
  );
}
