import { MessageCircleQuestion } from 'lucide-react';
import { useId, useState } from 'react';
import type { Question } from '@/bridge';
import { Button, Foreign, Notice } from '@/components';
import { useWords } from '@/words';
import { Field } from './Fields';
import { contentOf, useAnswer, useLeft, useQuestions } from './questions';

/** Everything that waits for a person, oldest first. */
export function QuestionCards() {
  const { t } = useWords();
  const questions = useQuestions();
  const [late, setLate] = useState(false);
  return (
    <div className="max-h-[60vh] space-y-3 overflow-y-auto empty:hidden">
      {questions.map((question) => (
        <QuestionCard key={question.id} question={question} onLate={setLate} />
      ))}
      {late && (
        <Notice live tone="warn" kind={t('question.late')} close={{ label: t('close'), run: () => setLate(false) }}>
          {t('question.lateText')}
        </Notice>
      )}
    </div>
  );
}

/** What a server asks: who, what, how long there is, and the form to answer with. */
function QuestionCard({ question, onLate }: { question: Question; onLate: (late: boolean) => void }) {
  const { t } = useWords();
  const id = useId();
  const answer = useAnswer(question.id, (accepted) => onLate(!accepted));
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
      <form
        autoComplete="off"
        className="mt-3 space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          answer.mutate({ action: 'accept', content: contentOf(question.fields, new FormData(event.currentTarget)) });
        }}
      >
        <fieldset disabled={busy} aria-label={t('question.form')} className="space-y-3">
          {question.fields.map((field, index) => (
            <Field key={field.name} field={field} index={index} />
          ))}
        </fieldset>
        {answer.error && (
          <Notice live tone="bad" kind={t('question.unfit')} hint={answer.error.hint}>
            {answer.error.message}
          </Notice>
        )}
        <div className="flex flex-wrap justify-end gap-2">
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

/** The time left, in words; it is not read out every second. */
function Left({ expires }: { expires: string }) {
  const { t } = useWords();
  const seconds = useLeft(expires);
  return (
    <p className="numbers mt-1 text-tiny text-ink-soft" aria-live="off">
      {seconds >= 60 ? t('question.minutes', { count: Math.ceil(seconds / 60) }) : t('question.seconds', { count: seconds })}
    </p>
  );
}
