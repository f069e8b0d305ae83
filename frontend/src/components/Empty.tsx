import type { ReactNode } from 'react';

/** What is shown where there is nothing yet: what this place is for, and the next step. */
export function Empty({ icon, title, children, actions }: { icon: ReactNode; title: string; children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center px-6 py-16 text-center">
      <span aria-hidden="true" className="mb-4 flex size-12 items-center justify-center rounded-2xl bg-accent-soft text-accent-text [&>svg]:size-6">
        {icon}
      </span>
      <h2 className="text-title font-semibold text-balance">{title}</h2>
      {children && <div className="mt-1.5 text-body text-balance text-ink-soft">{children}</div>}
      {actions && <div className="mt-5 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
