import type { Question } from '@/bridge';
import { Button, Notice } from '@/components';
import { useWords } from '@/words';
import { useQuestions } from './questions';

/** Says in the other place that somebody is asked, with the way there. */
export function QuestionBanner({ onGo }: { onGo: (question: Question) => void }) {
  const { t } = useWords();
  const questions = useQuestions();
  const first = questions[0];
  if (!first) return null;
  return (
    <div className="px-3 pt-3">
      <Notice
        live
        tone="info"
        kind={t('question.waits', { count: questions.length })}
        actions={
          <Button small look="primary" onClick={() => onGo(first)}>
            {t('question.show')}
          </Button>
        }
      >
        {first.kind === 'calls' ? t('approve.wants', { count: first.calls.length }) : t('question.asks', { server: first.server })}
      </Notice>
    </div>
  );
}
