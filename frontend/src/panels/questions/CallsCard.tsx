import { ShieldQuestion } from 'lucide-react';
import { useEffect, useId, useRef, useState, useSyncExternalStore, type MouseEvent } from 'react';
import { useSessions } from '@/app/queries';
import { useServices } from '@/app/services';
import type { Question } from '@/bridge';
import { Button, Foreign, Notice } from '@/components';
import { useWords } from '@/words';
import { CallEntry } from './CallEntry';
import { choicesOf, pickOf, useSettled, type Picks } from './calls';
import { Left } from './Left';
import { useAnswer } from './questions';

interface CardProps {
  question: Question;
  focused: boolean;
  /** The card is answered from here. */
  onAnswer: (id: string) => void;
  onLate: (late: boolean) => void;
}

/**
 * The calls of a batch that need a person's yes. Nothing is picked at first, no button has the focus,
 * and a click or key counts only once the card has stood a moment as it is.
 */
export function CallsCard({ question, focused, onAnswer, onLate }: CardProps) {
  const { t } = useWords();
  const id = useId();
  const card = useRef<HTMLElement>(null);
  const [picks, setPicks] = useState<Picks>({});
  // One that is left of several keeps its box: what was not picked must not go with the button.
  const [single] = useState(question.calls.length === 1);
  const settled = useSettled(question.calls.map((call) => call.call).join('\n'));
  const answer = useAnswer(question.id, (accepted) => {
    onLate(!accepted);
    // The card goes, and the focus with it.
    if (card.current?.contains(document.activeElement)) document.getElementById('main')?.focus();
  });
  useEffect(() => {
    if (focused) card.current?.focus();
  }, [focused]);
  const { calls } = question;
  const chosen: Picks = single ? Object.fromEntries(calls.map((call) => [call.call, { ...pickOf(picks, call), allow: true }])) : picks;
  const allowed = calls.filter((call) => pickOf(chosen, call).allow).length;
  const busy = answer.isPending || answer.data !== undefined;
  const send = (event: MouseEvent, denied: boolean) => {
    // The second click of a double click, and all before the card has stood, are no answer.
    if (!settled || event.detail > 1 || busy) return;
    onAnswer(question.id);
    answer.mutate({ action: denied ? 'decline' : 'accept', content: '', choices: choicesOf(calls, denied ? picks : chosen, denied) });
  };
  const label = single ? t('approve.allow') : allowed === 0 ? t('approve.pick') : allowed < calls.length ? t('approve.allowSome', { count: allowed, rest: calls.length - allowed }) : t('approve.allowAll', { count: allowed });
  return (
    <section
      ref={card}
      tabIndex={-1}
      data-card={question.id}
      aria-labelledby={`${id}t`}
      className="flex max-h-[58vh] animate-[rise_180ms_ease-out] flex-col rounded-2xl border border-warn bg-surface p-4 shadow-card focus-visible:-outline-offset-2 dark:bg-raised"
    >
      <div role="alert" className="flex flex-wrap items-center gap-2">
        <ShieldQuestion aria-hidden="true" className="size-4.5 shrink-0 text-warn" />
        <h3 id={`${id}t`} className="min-w-0 flex-1 font-semibold break-words">
          {t('approve.wants', { count: calls.length })}
        </h3>
      </div>
      <Where session={question.session} />
      <Left expires={question.expires} />
      <ol className="-mx-1 mt-3 min-h-0 flex-1 space-y-2 overflow-y-auto px-1">
        {calls.map((call, index) => (
          <CallEntry key={call.call} call={call} number={single ? 0 : index + 1} picks={picks} disabled={busy} onPick={(which, pick) => setPicks((was) => ({ ...was, [which]: pick }))} />
        ))}
      </ol>
      {answer.error && (
        <Notice live tone="bad" kind={t('question.unfit')} hint={answer.error.hint} className="mt-3">
          {answer.error.message}
        </Notice>
      )}
      <div className="-mx-4 mt-3 -mb-4 flex shrink-0 flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-3">
        <Button disabled={busy} aria-disabled={!settled || undefined} onClick={(event) => send(event, true)}>
          {single ? t('approve.deny') : t('approve.denyAll')}
        </Button>
        <Button
          look="primary"
          disabled={busy || allowed === 0}
          aria-disabled={!settled || undefined}
          // A key that is held down repeats itself; that is no decision.
          onKeyDown={(event) => event.repeat && event.preventDefault()}
          onClick={(event) => send(event, false)}
        >
          {label}
        </Button>
      </div>
    </section>
  );
}

/** The conversation that waits, with the way there where another one is shown. */
function Where({ session }: { session: string }) {
  const { t } = useWords();
  const { chat } = useServices();
  const shown = useSyncExternalStore(chat.subscribe, () => chat.get().session);
  const { data: sessions = [] } = useSessions();
  if (session === '') return null;
  const title = sessions.find((row) => row.session === session)?.title || t('chat.untitled');
  return (
    <p className="mt-1 flex flex-wrap items-center gap-2 text-small text-ink-soft">
      <span className="min-w-0 break-words">
        {t('approve.session')} <Foreign text={title} />
      </span>
      {shown !== session && (
        <Button small onClick={() => chat.show(session)}>
          {t('approve.show')}
        </Button>
      )}
    </p>
  );
}
