import clsx from 'clsx';
import { Lock, LockOpen, SlidersHorizontal, TriangleAlert, type LucideIcon } from 'lucide-react';
import { useRef, type KeyboardEvent } from 'react';
import type { Server } from '@/bridge';
import { useWords } from '@/words';
import { Status } from './Status';
import { usePanelWords } from './words';

interface ServerListProps {
  servers: readonly Server[];
  selected: string | null;
  /** False while the rules cannot be asked: then no counts are shown. */
  trusted: boolean;
  onSelect: (name: string) => void;
}

/** The configured servers in the file's order. Up and down walk through them. */
export function ServerList({ servers, selected, trusted, onSelect }: ServerListProps) {
  const { t } = useWords();
  const list = useRef<HTMLUListElement>(null);
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const now = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const next = buttons[Math.min(Math.max(now + step, 0), buttons.length - 1)];
    event.preventDefault();
    next?.focus();
    next?.click();
  };
  return (
    <ul ref={list} aria-label={t('servers.title')} onKeyDown={walk} className="space-y-0.5">
      {servers.map((server) => (
        <li key={server.name}>
          <ServerRow server={server} trusted={trusted} selected={server.name === selected} onSelect={() => onSelect(server.name)} />
        </li>
      ))}
    </ul>
  );
}

const signs: Record<string, LucideIcon> = { open: LockOpen, only: SlidersHorizontal, except: SlidersHorizontal, invalid: TriangleAlert };

function ServerRow({ server, selected, trusted, onSelect }: { server: Server; selected: boolean; trusted: boolean; onSelect: () => void }) {
  const { t } = useWords();
  const panel = usePanelWords();
  const shut = server.tools.locked || server.tools.held;
  const Sign = shut ? Lock : (signs[server.tools.state] ?? SlidersHorizontal);
  return (
    <button
      type="button"
      aria-current={selected ? 'true' : undefined}
      onClick={onSelect}
      className={clsx(
        'block w-full rounded-xl px-3 py-2.5 text-left transition-colors',
        selected ? 'bg-surface shadow-card dark:bg-raised' : 'hover:bg-surface/60 dark:hover:bg-raised/50',
      )}
    >
      {/* Where both do not fit, the state goes below: the name is what one looks for. */}
      <span className="flex flex-wrap items-baseline justify-between gap-x-2">
        <span className="max-w-full truncate font-semibold">{server.name}</span>
        <Status server={server} className="text-tiny" />
      </span>
      <span
        className={clsx(
          'mt-1 flex items-start gap-1.5 text-small',
          server.tools.state === 'invalid' ? 'text-bad' : 'text-ink-soft',
          server.tools.held && '-mx-1.5 rounded-lg bg-lock-soft px-1.5 py-1 text-ink',
        )}
      >
        <Sign aria-hidden="true" className={clsx('mt-[3px] size-3.5 shrink-0', shut && 'text-lock')} />
        <span className={clsx('numbers', server.tools.held ? 'line-clamp-4' : 'line-clamp-2')}>{trusted ? panel(server) : t('policy.silent')}</span>
      </span>
    </button>
  );
}
