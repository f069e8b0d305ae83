import { useWords } from '@/words';
import { useLeft } from './questions';

/** The time left, in words; it is not read out every second. */
export function Left({ expires }: { expires: string }) {
  const { t } = useWords();
  const seconds = useLeft(expires);
  return (
    <p className="numbers mt-1 text-tiny text-ink-soft" aria-live="off">
      {seconds >= 60 ? t('question.minutes', { count: Math.ceil(seconds / 60) }) : t('question.seconds', { count: seconds })}
    </p>
  );
}
