import clsx from 'clsx';
import type { ButtonHTMLAttributes, ReactNode } from 'react';

type Look = 'primary' | 'plain' | 'quiet' | 'danger';

const looks: Record<Look, string> = {
  primary: 'bg-accent text-accent-ink hover:brightness-110 shadow-card',
  plain: 'bg-surface text-ink border border-line hover:bg-sunken dark:bg-raised dark:hover:brightness-110 shadow-card',
  quiet: 'text-ink-soft hover:bg-sunken hover:text-ink dark:hover:bg-raised',
  danger: 'bg-surface text-bad border border-bad/40 hover:bg-bad-soft dark:bg-raised shadow-card',
};

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look;
  icon?: ReactNode;
  small?: boolean;
}

/** A button with words. `icon` is decoration; the words say what it does. */
export function Button({ look = 'plain', icon, small = false, className, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={clsx(
        'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-lg font-medium whitespace-nowrap transition-[background,filter,opacity] duration-150 select-none active:brightness-95 disabled:opacity-50 aria-disabled:opacity-50',
        small ? 'h-7 px-2.5 text-small' : 'h-8.5 px-3.5 text-body',
        looks[look],
        className,
      )}
      {...rest}
    >
      {icon && (
        <span aria-hidden="true" className="-ml-0.5 flex [&>svg]:size-4">
          {icon}
        </span>
      )}
      {children}
    </button>
  );
}

/** A button that shows only an icon; its label is said and shown as a tooltip. */
export function IconButton({ label, children, className, ...rest }: ButtonHTMLAttributes<HTMLButtonElement> & { label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={clsx(
        'inline-flex size-8 shrink-0 items-center justify-center rounded-lg text-ink-soft transition-colors hover:bg-sunken hover:text-ink disabled:opacity-40 dark:hover:bg-raised [&>svg]:size-4',
        className,
      )}
      {...rest}
    >
      {children}
    </button>
  );
}
