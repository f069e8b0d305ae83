import type { Problem } from '@/bridge';
import { Notice } from '@/components';
import { useWords } from '@/words';
import { placeOf } from './faces';

/** Problems of the file, each with its place and what to write. */
export function Problems({ problems, path }: { problems: readonly Problem[]; path: string }) {
  const { t, problem } = useWords();
  if (problems.length === 0) return null;
  return (
    <ul aria-label={t('problems.title')} className="space-y-2">
      {problems.map((p, index) => {
        const words = problem(p);
        const bad = p.severity === 'error';
        return (
          <li key={index}>
            <Notice
              tone={bad ? 'bad' : 'warn'}
              kind={bad ? t('problems.error') : t('problems.warning')}
              place={p.line > 0 || p.file ? placeOf(p.file || path, p.line, p.column) : ''}
              hint={words.hint}
            >
              {words.message}
            </Notice>
          </li>
        );
      })}
    </ul>
  );
}

/** Every problem once: the same one may be told with the rules and with the server. */
export function distinct(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter((p) => {
    const key = JSON.stringify([p.code, p.line, p.column, p.message]);
    return !seen.has(key) && Boolean(seen.add(key));
  });
}
