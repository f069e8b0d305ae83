import { useEffect, useState } from 'react';
import type { Problem } from '@/bridge';
import { Notice } from '@/components';
import { placeOf, shortPath } from '@/panels/mcp/faces';
import { useWords } from '@/words';

// config.CodeOpened
const opened = 'server.opened';

/** Where the notices that were dismissed are kept, so that a reload of the page does not bring them back. */
const place = 'hermes.opened.noted';

/** What changes of the file from outside of this page opened, until a person has dismissed it. */
export function Opened({ notices }: { notices: readonly Problem[] }) {
  const { t } = useWords();
  const all = notices.filter((one) => one.code === opened);
  const [noted, setNoted] = useState(remembered);
  const told = JSON.stringify(all.map(keyOf));
  useEffect(() => {
    // What the program no longer tells is forgotten, so that it is told when it happens again.
    setNoted((was) => {
      const left = JSON.parse(told) as string[];
      return was.filter((key) => take(left, key));
    });
  }, [told]);
  useEffect(() => window.sessionStorage.setItem(place, JSON.stringify(noted)), [noted]);
  // The program keeps the latest notices only, and the same thing may be opened
  // twice: what was taken note of is counted, not placed.
  const left = [...noted];
  const shown = all.filter((one) => !take(left, keyOf(one)));
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

/** Takes a key out of a list once; false where it is not in it. */
function take(from: string[], key: string): boolean {
  const at = from.indexOf(key);
  if (at >= 0) from.splice(at, 1);
  return at >= 0;
}

function remembered(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(window.sessionStorage.getItem(place) ?? '[]');
    return Array.isArray(stored) ? stored.filter((key) => typeof key === 'string') : [];
  } catch {
    return [];
  }
}

function keyOf(one: Problem): string {
  return JSON.stringify([one.params, one.message, one.line]);
}
