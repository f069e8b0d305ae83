import { keepPreviousData, useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { useDeferredValue, useState } from 'react';
import { useSessions } from '@/app/queries';
import { useServices } from '@/app/services';
import type { CallError, SessionRow } from '@/bridge';
import { Foreign, SearchField } from '@/components';
import { useWords } from '@/words';
import { useUsageWords } from './usage';

/** The stored conversations, newest first; or those in which something was said, the best first. */
export function Sessions({ selected, onSelect }: { selected: string | null; onSelect: (session: string) => void }) {
  const { t } = useWords();
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search.trim());
  const all = useSessions();
  const found = useFound(wanted);
  const rows = wanted === '' ? (all.data ?? []) : (found.data ?? []);
  return (
    <>
      <div className="px-4 pb-2">
        <SearchField label={t('chat.search')} value={search} onChange={setSearch} />
        <p role="status" className="numbers mt-1 text-tiny text-ink-faint empty:hidden">
          {wanted !== '' && found.data && t('chat.found', { count: rows.length })}
          {wanted !== '' && found.error && <span className="text-bad">{found.error.message}</span>}
        </p>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
        {rows.length > 0 ? (
          <ul aria-label={t('chat.sessions')} className="space-y-0.5">
            {rows.map((row) => (
              <Row key={row.session} row={row} selected={row.session === selected} onSelect={onSelect} />
            ))}
          </ul>
        ) : (
          <p className="px-3 py-2 text-small text-ink-faint">{wanted === '' ? t('chat.noSessions') : t('chat.noneFound')}</p>
        )}
      </div>
    </>
  );
}

function useFound(wanted: string) {
  const { transport } = useServices();
  return useQuery<SessionRow[], CallError>({
    queryKey: ['past', wanted],
    enabled: wanted !== '',
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: () => transport.call('SearchPast', wanted),
  });
}

function Row({ row, selected, onSelect }: { row: SessionRow; selected: boolean; onSelect: (session: string) => void }) {
  const { t, language } = useWords();
  const usage = useUsageWords();
  const when = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  const updated = new Date(row.updated || row.started);
  const cost = [row.model, row.usage && usage.short(row.usage)].filter(Boolean).join(' · ');
  return (
    <li>
      <button
        type="button"
        aria-current={selected ? 'true' : undefined}
        onClick={() => onSelect(row.session)}
        className={clsx('block w-full rounded-xl px-3 py-2 text-left transition-colors', selected ? 'bg-surface shadow-card dark:bg-raised' : 'hover:bg-surface/60 dark:hover:bg-raised/50')}
      >
        <span className="block truncate font-medium">{row.title || t('chat.untitled')}</span>
        {row.match && (
          <span className="line-clamp-2 text-small break-words text-ink-soft" dir="auto">
            <Foreign text={row.match} />
          </span>
        )}
        <span className="numbers block text-tiny text-ink-faint">
          {Number.isNaN(updated.getTime()) ? row.updated : when.format(updated)} · {t('chat.messages', { count: row.messages })}
        </span>
        {cost && <span className="numbers block truncate text-tiny text-ink-faint">{cost}</span>}
      </button>
    </li>
  );
}
