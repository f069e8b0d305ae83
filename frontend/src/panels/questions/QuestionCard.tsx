import { MessageCircleQuestion } from 'lucide-react';
import { useEffect, useId, useRef, useState, type FormEvent } from 'react';
import type { Question } from '@/bridge';
import { Button, Foreign, Notice } from '@/components';
import { useWords } from '@/words';
import { CallsCard } from './CallsCard';
import { Field } from './Fields';
import { Left } from './Left';
import { contentOf, nameOf, useAnswer, useQuestions, wrongOf, type Wrong } from './questions';

/** Everything that waits for a person, oldest first; the focused one is what the person came for. */
export function QuestionCards({ focused }: { focused: string | null }) {
  const { t } = useWords();
  const questions = useQuestions();
  const [late, setLate] = useState(false);
  const { gone, close, mine } = useGone(questions);
  return (
    <div className="max-h-[60vh] scroll-pb-18 space-y-3 overflow-y-auto empty:hidden">
      {questions.map((question) =>
        question.kind === 'calls' ? (
          <CallsCard key={question.id} question={question} focused={question.id === focused} onAnswer={mine} onLate={setLate} />
        ) : (
          <QuestionCard key={question.id} question={question} focused={question.id === focused} onLate={setLate} />
        ),
      )}
      {late && (
        <Notice live tone="warn" kind={t('question.late')} close={{ label: t('close'), run: () => setLate(false) }}>
          {t('question.lateText')}
        </Notice>
      )}
      {gone && !late && (
        <Notice live tone="info" kind={t('approve.gone')} close={{ label: t('close'), run: close }}>
          {t('approve.goneText')}
        </Notice>
      )}
    </div>
  );
}

/** Whether a card of calls went without an answer from here: a person who was reading it is told why it is gone. */
function useGone(questions: readonly Question[]) {
  const [gone, setGone] = useState(false);
  const open = useRef<readonly string[]>([]);
  const answered = useRef(new Set<string>());
  useEffect(() => {
    const now = questions.filter((one) => one.kind === 'calls').map((one) => one.id);
    if (open.current.some((id) => !now.includes(id) && !answered.current.has(id))) setGone(true);
    else if (now.some((id) => !open.current.includes(id))) setGone(false);
    open.current = now;
  }, [questions]);
  return { gone, close: () => setGone(false), mine: (id: string) => void answered.current.add(id) };
}

/** What a server asks: who, what, how long there is, and the form to answer with. */
function QuestionCard({ question, focused, onLate }: { question: Question; focused: boolean; onLate: (late: boolean) => void }) {
  const { t } = useWords();
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const [wrong, setWrong] = useState<Wrong | null>(null);
  const answer = useAnswer(question.id, (accepted) => {
    onLate(!accepted);
    // The card goes, and the focus with it.
    if (form.current?.contains(document.activeElement)) document.getElementById('main')?.focus();
  });
  useEffect(() => {
    if (focused) form.current?.querySelector<HTMLElement>('input:not([type=hidden]), select, button[role=switch], button')?.focus();
  }, [focused]);
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const found = wrongOf(event.currentTarget);
    setWrong(found);
    if (!found) answer.mutate({ action: 'accept', content: contentOf(question.fields, new FormData(event.currentTarget)) });
  };
  const busy = answer.isPending || answer.data !== undefined;
  return (
    <section aria-labelledby={`${id}t`} aria-describedby={`${id}m`} className="animate-[rise_180ms_ease-out] rounded-2xl border border-accent bg-surface p-4 shadow-card dark:bg-raised">
      <div role="alert" className="flex flex-wrap items-center gap-2">
        <MessageCircleQuestion aria-hidden="true" className="size-4.5 shrink-0 text-accent-text" />
        <h3 id={`${id}t`} className="min-w-0 flex-1 font-semibold break-words">
          {t('question.asks', { server: question.server })}
        </h3>
      </div>
      <Left expires={question.expires} />
      <p id={`${id}m`} dir="auto" className="mt-2 max-h-60 overflow-y-auto break-words whitespace-pre-wrap">
        <Foreign text={question.message} />
      </p>
      <p className="mt-2 text-tiny text-warn">{t('question.noSecrets', { server: question.server })}</p>
      <form ref={form} noValidate autoComplete="off" className="mt-3 space-y-3" onSubmit={send}>
        <fieldset disabled={busy} aria-label={t('question.form')} className="space-y-3">
          {question.fields.map((field, index) => (
            <Field key={field.name} field={field} index={index} wrong={wrong?.name === nameOf(index) ? t(`question.${wrong.kind}`) : ''} />
          ))}
        </fieldset>
        {answer.error && (
          <Notice live tone="bad" kind={t('question.unfit')} hint={answer.error.hint}>
            {answer.error.message}
          </Notice>
        )}
        {/* Always in reach, however long the form is. */}
        <div className="sticky bottom-0 -mx-4 -mb-4 flex flex-wrap justify-end gap-2 rounded-b-2xl border-t border-line bg-surface px-4 py-3 dark:bg-raised">
          <Button disabled={busy} onClick={() => answer.mutate({ action: 'decline', content: '' })}>
            {t('question.decline')}
          </Button>
          <Button look="primary" type="submit" disabled={busy}>
            {question.fields.length > 0 ? t('question.send') : t('question.accept')}
          </Button>
        </div>
      </form>
    </section>
  );
}
