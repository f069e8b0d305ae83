import { Tooltip } from 'radix-ui';
import type { ReactNode } from 'react';

/** A sentence shown on hover and on focus. What it says must also be said elsewhere. */
export function Hint({ text, children }: { text: string; children: ReactNode }) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-w-80 animate-[fade_100ms_ease-out] rounded-lg bg-ink px-2.5 py-1.5 text-small text-page shadow-pop"
        >
          {text}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

/** The page's one set of tooltip timings. */
export function Hints({ children }: { children: ReactNode }) {
  return (
    <Tooltip.Provider delayDuration={350} skipDelayDuration={150}>
      {children}
    </Tooltip.Provider>
  );
}
