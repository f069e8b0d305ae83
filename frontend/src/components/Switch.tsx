import clsx from 'clsx';
import { Switch as Radix } from 'radix-ui';

interface SwitchProps {
  /** What the switch is for; it is the accessible name. */
  label: string;
  on: boolean;
  /** The id of the sentence that says why it stands as it does. */
  describedBy?: string;
  /** Waiting for the program's answer to a wanted result. */
  pending?: boolean;
  /** The tool has not been seen on the server: drawn hollow. */
  hollow?: boolean;
  /** Nothing may be switched here; it stays in the tab order and says why. */
  blocked?: boolean;
  /** On by the rules and not in force: neither drawn nor said as on; what is wanted is still the other result. */
  barred?: boolean;
  onWanted: (on: boolean) => void;
}

/** A switch that states a wanted result; it never means "the other way round". */
export function Switch({ label, on, describedBy, pending = false, hollow = false, barred = false, blocked = false, onWanted }: SwitchProps) {
  return (
    <Radix.Root
      checked={on && !barred}
      aria-label={label}
      aria-describedby={describedBy}
      aria-disabled={blocked || undefined}
      aria-busy={pending || undefined}
      onCheckedChange={(wanted) => {
        if (!blocked) onWanted(barred ? false : wanted);
      }}
      className={clsx(
        'relative inline-flex h-5 w-9 shrink-0 items-center rounded-full border-2 p-0 transition-colors duration-150',
        barred
          ? 'border-dashed border-warn bg-warn-soft'
          : hollow
          ? 'border-dashed border-switch-off bg-transparent data-[state=checked]:border-accent'
          : 'border-transparent bg-switch-off data-[state=checked]:bg-accent',
        blocked && 'opacity-45',
        // A larger target than what is drawn.
        "after:absolute after:-inset-2 after:content-['']",
      )}
    >
      <Radix.Thumb
        className={clsx(
          'block size-4 rounded-full shadow-sm transition-transform duration-150 ease-out data-[state=checked]:translate-x-4',
          barred ? 'bg-warn' : hollow ? 'bg-switch-off data-[state=checked]:bg-accent' : 'bg-white',
          pending && 'animate-[blink_900ms_ease-in-out_infinite]',
        )}
      />
    </Radix.Root>
  );
}
