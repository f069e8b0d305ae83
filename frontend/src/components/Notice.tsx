import clsx from 'clsx';
import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';

export type Tone = 'info' | 'good' | 'warn' | 'bad';

const looks: Record<Tone, string> = {
  info: 'bg-accent-soft text-accent-text',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
};

const icons: Record<Tone, typeof Info> = { info: Info, good: CircleCheck, warn: TriangleAlert, bad: CircleAlert };

interface NoticeProps {
  tone: Tone;
  /** The kind of message in a word, for those who do not see the colour. */
  kind: string;
  children: ReactNode;
  hint?: string;
  place?: string;
  actions?: ReactNode;
  /** Said at once to screen readers; for what happens, not for what stands there. */
  live?: boolean;
  close?: { label: string; run: () => void };
  className?: string;
}

/** A message with its kind, its place in the file and the next step. */
export function Notice({ tone, kind, children, hint, place, actions, live = false, close, className }: NoticeProps) {
  const Icon = icons[tone];
  return (
    <div
      role={live ? 'alert' : undefined}
      className={clsx('flex gap-2.5 rounded-xl px-3.5 py-2.5 text-small', looks[tone], live && 'animate-[rise_180ms_ease-out]', className)}
    >
      <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1">
        <p className="break-words text-ink">
          <strong className={clsx('font-semibold', looks[tone].split(' ')[1])}>{kind}</strong>
          <span aria-hidden="true"> · </span>
          {children}
        </p>
        {(hint || place) && (
          <p className="mt-0.5 break-words text-ink-soft">
            {place && <span className="font-mono text-tiny">{place}</span>}
            {place && hint && <span aria-hidden="true"> — </span>}
            {hint}
          </p>
        )}
        {actions && <div className="mt-2 flex flex-wrap gap-2">{actions}</div>}
      </div>
      {close && (
        <button
          type="button"
          aria-label={close.label}
          onClick={() => {
            close.run();
            // The button goes, and the focus with it.
            document.getElementById('main')?.focus({ preventScroll: true });
          }}
          className="-mt-0.5 -mr-1.5 flex size-7 shrink-0 items-center justify-center rounded-lg hover:bg-ink/5"
        >
          <X aria-hidden="true" className="size-4" />
        </button>
      )}
    </div>
  );
}
