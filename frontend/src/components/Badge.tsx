import clsx from 'clsx';
import type { ReactNode } from 'react';

type Tone = 'plain' | 'accent' | 'good' | 'warn' | 'bad' | 'lock';

const looks: Record<Tone, string> = {
  plain: 'bg-sunken text-ink-soft dark:bg-raised',
  accent: 'bg-accent-soft text-accent-text',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  lock: 'bg-lock-soft text-lock',
};

/** A short word about a thing. */
export function Badge({ tone = 'plain', icon, children }: { tone?: Tone; icon?: ReactNode; children: ReactNode }) {
  return (
    <span className={clsx('inline-flex items-center gap-1 rounded-md px-1.5 py-0.5 text-tiny font-medium whitespace-nowrap', looks[tone])}>
      {icon && (
        <span aria-hidden="true" className="flex [&>svg]:size-3">
          {icon}
        </span>
      )}
      {children}
    </span>
  );
}
