import clsx from 'clsx';
import { Ban, CircleCheck, CircleParking, CirclePause, CircleX, KeyRound, LoaderCircle, Lock, TriangleAlert, type LucideIcon } from 'lucide-react';
import type { Server } from '@/bridge';
import { useWords } from '@/words';

const looks: Record<string, { icon: LucideIcon; color: string }> = {
  connected: { icon: CircleCheck, color: 'text-good' },
  starting: { icon: LoaderCircle, color: 'text-accent-text' },
  ready: { icon: CirclePause, color: 'text-ink-faint' },
  disabled: { icon: Ban, color: 'text-ink-faint' },
  locked: { icon: Lock, color: 'text-lock' },
  held: { icon: Lock, color: 'text-lock' },
  invalid: { icon: TriangleAlert, color: 'text-bad' },
  failed: { icon: CircleX, color: 'text-bad' },
  needs_auth: { icon: KeyRound, color: 'text-warn' },
  parked: { icon: CircleParking, color: 'text-warn' },
};

const unknown = { icon: CirclePause, color: 'text-ink-faint' };

/** How a server is, in a word and a sign; the sign alone never says it. */
export function Status({ server, className }: { server: Server; className?: string }) {
  const { t } = useWords();
  const look = looks[server.status] ?? unknown;
  const Icon = look.icon;
  return (
    <span className={clsx('inline-flex items-center gap-1 text-small whitespace-nowrap', look.color, className)}>
      <Icon aria-hidden="true" className={clsx('size-3.5', server.status === 'starting' && 'animate-spin')} />
      {t(`status.${server.status}`, { defaultValue: server.status })}
    </span>
  );
}
