import { useState } from 'react';
import type { Problem } from '@/bridge';
import { Notice } from '@/components';
import { placeOf, shortPath } from '@/panels/mcp/faces';
import { useWords } from '@/words';

// config.CodeOpened
const opened = 'server.opened';

/** What changes of the file from outside opened, until a person has taken note of it. */
export function Opened({ notices }: { notices: readonly Problem[] }) {
  const { t } = useWords();
  const all = notices.filter((one) => one.code === opened);
  const [noted, setNoted] = useState<readonly string[]>([]);
  const shown = unnoted(all, noted);
  if (shown.length === 0) return null;
  return (
    <Notice live tone="warn" kind={t('opened.kind')} close={{ label: t('opened.noted'), run: () => setNoted(all.map(keyOf)) }}>
      {t('opened.text', { count: shown.length })}
      <span role="list" className="mt-1 block max-h-32 overflow-y-auto">
        {shown.map((one, index) => (
          <span key={index} role="listitem" className="block">
            <span className="font-medium">{one.params.join('/') || one.message}</span>{' '}
            <span title={placeOf(one.file, one.line)} className="font-mono text-tiny text-ink-soft">
              ({placeOf(shortPath(one.file), one.line)})
            </span>
          </span>
        ))}
      </span>
    </Notice>
  );
}

// The program keeps the latest notices only, and the same thing may be opened
// twice: what was taken note of is counted, not placed.
function unnoted(all: readonly Problem[], noted: readonly string[]): Problem[] {
  const left = [...noted];
  return all.filter((one) => {
    const at = left.indexOf(keyOf(one));
    if (at < 0) return true;
    left.splice(at, 1);
    return false;
  });
}

function keyOf(one: Problem): string {
  return JSON.stringify([one.params, one.message, one.line]);
}
