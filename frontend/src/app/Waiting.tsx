import { Download } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import type { Overview, Problem } from '@/bridge';
import { Button, Foreign, Notice } from '@/components';
import { placeOf } from '@/panels/mcp/faces';
import { useWords } from '@/words';
import { useServices } from './services';

// config.CodeWaits, config.CodeWaitsMore
const waits = 'config.waits';
const waitsMore = 'config.waits_more';

/** Whether a problem is a change of the file that waits until a person takes it. */
export function isWaiting(code: string): boolean {
  return code === waits || code === waitsMore;
}

/** What was changed while the agent was at work and would open something: it waits, and a person may take it. */
export function Waiting({ overview }: { overview: Overview }) {
  const { t } = useWords();
  const { reloads } = useServices();
  const { state } = useSyncExternalStore(reloads.subscribe, reloads.get);
  const lines = overview.notices.filter((one) => isWaiting(one.code));
  if (lines.length === 0) return null;
  const busy = state === 'busy';
  return (
    <div className="px-3 pt-3">
      <Notice
        live
        tone="warn"
        kind={t('waiting.kind')}
        actions={
          <Button small icon={<Download />} disabled={busy} onClick={() => void reloads.run()}>
            {t('waiting.take')}
          </Button>
        }
      >
        {t('waiting.text')}
        <span role="list" aria-label={t('waiting.opens')} className="mt-1 block max-h-32 overflow-y-auto" tabIndex={0}>
          {lines.map((one) => (
            <Line key={`${one.message} ${one.line}`} problem={one} />
          ))}
        </span>
      </Notice>
    </div>
  );
}

function Line({ problem }: { problem: Problem }) {
  const { t } = useWords();
  const [what = ''] = problem.params;
  return (
    <span role="listitem" className="block break-words">
      {problem.code === waitsMore ? (
        t('waiting.more', { count: Number(what) })
      ) : (
        <>
          {t('waiting.line')}{' '}
          <strong className="font-mono text-tiny font-medium">
            <Foreign text={what} />
          </strong>{' '}
          <span className="font-mono text-tiny text-ink-soft">{placeOf(problem.file, problem.line)}</span>
        </>
      )}
    </span>
  );
}
