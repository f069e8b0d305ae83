import { AlertDialog } from 'radix-ui';
import { useRef, type ReactNode } from 'react';
import { Button } from './Button';

interface ConfirmProps {
  open: boolean;
  title: string;
  children: ReactNode;
  confirm: string;
  cancel: string;
  danger?: boolean;
  /** It cannot be done, as the text says. */
  blocked?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks once more before something that is easy to do and costly to undo. */
export function Confirm({ open, title, children, confirm, cancel, danger = false, blocked = false, onConfirm, onClose }: ConfirmProps) {
  // The dialog has no trigger of its own; the focus goes back to where it came from.
  const before = useRef<Element | null>(null);
  return (
    <AlertDialog.Root open={open} onOpenChange={(now) => !now && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 animate-[fade_120ms_ease-out] bg-black/40 backdrop-blur-[1px]" />
        <AlertDialog.Content
          onOpenAutoFocus={() => {
            before.current = document.activeElement;
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (before.current instanceof HTMLElement) before.current.focus();
          }}
          className="fixed top-1/2 left-1/2 z-50 w-[min(30rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 animate-[rise_160ms_ease-out] rounded-2xl border border-line bg-surface p-6 shadow-pop dark:bg-raised"
        >
          <AlertDialog.Title className="text-title font-semibold text-balance">{title}</AlertDialog.Title>
          <AlertDialog.Description asChild>
            <div className="mt-2 space-y-2 text-body text-ink-soft">{children}</div>
          </AlertDialog.Description>
          <div className="mt-6 flex flex-wrap justify-end gap-2">
            <AlertDialog.Cancel asChild>
              <Button>{cancel}</Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <Button look={danger ? 'danger' : 'primary'} disabled={blocked} onClick={onConfirm}>
                {confirm}
              </Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
