import { useId } from 'react';
import type { QuestionCall, QuestionWhy } from '@/bridge';
import { Badge, Foreign, laidOut, plain } from '@/components';
import { useWords } from '@/words';
import { pickOf, reasonOf, type Pick, type Picks } from './calls';

interface EntryProps {
  call: QuestionCall;
  /** Its place on the card, from 1; 0 where it is the only one and needs no box. */
  number: number;
  picks: Picks;
  disabled: boolean;
  onPick: (call: string, pick: Pick) => void;
}

/** One call of a card: whether it may go, what it would do, and why a person is asked. All names and values are a stranger's: text, never markup. */
export function CallEntry({ call, number, picks, disabled, onPick }: EntryProps) {
  const { t } = useWords();
  const id = useId();
  const pick = pickOf(picks, call);
  const title = `${plain(call.server)} › ${plain(call.tool || call.name)}`;
  const change = (by: Partial<Pick>) => onPick(call.call, { ...pick, ...by });
  return (
    <li data-asked={call.call} className="space-y-2 rounded-xl border border-line bg-page p-3">
      <div className="flex items-start gap-2.5">
        {number > 0 && (
          <input
            id={`${id}c`}
            type="checkbox"
            checked={pick.allow}
            disabled={disabled}
            aria-label={t('approve.allowOne', { number, tool: title })}
            aria-describedby={`${id}w`}
            onChange={(event) => change({ allow: event.target.checked })}
            className="mt-0.5 size-4.5 shrink-0 accent-accent"
          />
        )}
        <label htmlFor={number > 0 ? `${id}c` : undefined} className="min-w-0 flex-1">
          <span className="block font-medium break-words">
            <span className="text-ink-soft">
              {number > 0 && <span className="numbers">{number}. </span>}
              <Foreign text={call.server} /> ›{' '}
            </span>
            <span className="font-mono">
              <Foreign text={call.tool || call.name} />
            </span>
          </span>
          <span className="block font-mono text-tiny break-all text-ink-soft">
            <Foreign text={call.name} />
          </span>
        </label>
      </div>
      <ul id={`${id}w`} aria-label={t('approve.why')} className="space-y-0.5 text-small text-warn">
        {call.why.map((why) => (
          <li key={why.code} className="break-words">
            <Reason why={why} />
          </li>
        ))}
      </ul>
      <Says call={call} />
      <pre tabIndex={0} aria-label={t('approve.arguments', { tool: title })} className="max-h-44 overflow-auto rounded-lg bg-sunken px-3 py-2 font-mono text-tiny leading-5 break-words whitespace-pre-wrap">
        <Foreign text={laidOut(call.arguments)} />
      </pre>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-small">
        {(pick.allow || number === 0) && <Scopes call={call} scope={pick.scope} disabled={disabled} onScope={(scope) => change({ scope })} />}
        {!pick.allow && (
          <label className="flex min-w-0 flex-1 basis-60 flex-wrap items-center gap-2">
            <span className="text-ink-soft">{t('approve.reason')}</span>
            <input
              type="text"
              value={pick.reason}
              disabled={disabled}
              maxLength={2000}
              autoComplete="off"
              dir="auto"
              onChange={(event) => change({ reason: event.target.value })}
              className="h-8 min-w-0 flex-1 basis-40 rounded-lg border border-line bg-surface px-2.5"
            />
          </label>
        )}
      </div>
    </li>
  );
}

/** Why a person is asked. */
export function Reason({ why }: { why: QuestionWhy }) {
  const { t } = useWords();
  const { code, detail } = reasonOf(why);
  if (code === '') return <Foreign text={detail} lang="en" />;
  return (
    <>
      {t(`why.${code}`)}
      {detail && (
        <>
          {' '}
          <Foreign text={detail} />
        </>
      )}
    </>
  );
}

/** What the server says of its tool, which is its word and no more. */
function Says({ call }: { call: QuestionCall }) {
  const { t } = useWords();
  const hints = [call.read_only && 'read_only', call.destructive && 'destructive', call.open_world && 'open_world'].filter((one): one is string => typeof one === 'string');
  return (
    <p className="flex flex-wrap items-center gap-1.5 text-small">
      <span className="text-ink-soft">{t('tools.serverSays')}</span>
      {hints.map((hint) => (
        <Badge key={hint} tone={hint === 'read_only' ? 'plain' : 'warn'}>
          {t(`hint.${hint}`)}
        </Badge>
      ))}
      {hints.length === 0 && <span className="text-ink-soft">{t('hint.unsaid')}</span>}
    </p>
  );
}

/** How long a yes counts, of what is offered. */
function Scopes({ call, scope, disabled, onScope }: { call: QuestionCall; scope: string; disabled: boolean; onScope: (scope: string) => void }) {
  const { t } = useWords();
  if (call.scopes.length < 2) return <span className="text-ink-soft">{t(`scope.${scope || 'once'}`)}</span>;
  return (
    <label className="flex min-w-0 items-center gap-2">
      <span className="text-ink-soft">{t('approve.scope')}</span>
      <select value={scope} disabled={disabled} onChange={(event) => onScope(event.target.value)} className="h-8 min-w-0 rounded-lg border border-line bg-surface px-2">
        {call.scopes.map((one) => (
          <option key={one} value={one}>
            {t(`scope.${one}`)}
          </option>
        ))}
      </select>
    </label>
  );
}
