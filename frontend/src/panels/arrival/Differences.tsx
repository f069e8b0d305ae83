import type { ArrivalServer } from '@/bridge';
import { useWords } from '@/words';
import { placeOf, shortPath } from '@/panels/mcp/faces';

/** Servers that mean something else here: before, now, the place, and what to write. */
export function Differences({ servers, path }: { servers: readonly ArrivalServer[]; path: string }) {
  const names = [...new Set(servers.map((one) => one.server))];
  return (
    <ul className="divide-y divide-line rounded-xl border border-line">
      {names.map((name) => (
        <li key={name} className="px-3.5 py-2.5">
          <p className="font-medium">{name}</p>
          {servers
            .filter((one) => one.server === name)
            .map((one, index) => (
              <Difference key={index} one={one} path={path} />
            ))}
        </li>
      ))}
    </ul>
  );
}

function Difference({ one, path }: { one: ArrivalServer; path: string }) {
  const { t, say } = useWords();
  const place = placeOf(one.file || path, one.line, one.column);
  const fix = say(one.fix);
  return (
    <dl className="mt-1.5 grid grid-cols-[6.5rem_1fr] gap-x-3 gap-y-0.5 text-small">
      <dt className="text-ink-faint">{t('arrival.before')}</dt>
      <dd className="break-words text-ink-soft">{say(one.before)}</dd>
      <dt className="text-ink-faint">{t('arrival.now')}</dt>
      <dd className="font-medium break-words">
        {say(one.now)}{' '}
        <span title={place} className="font-mono text-tiny font-normal whitespace-nowrap text-ink-faint">
          ({placeOf(shortPath(one.file || path), one.line, one.column)})
        </span>
      </dd>
      {fix && (
        <>
          <dt className="text-ink-faint">{t('arrival.fix')}</dt>
          <dd className="break-words">{fix}</dd>
        </>
      )}
    </dl>
  );
}
