import { ArrowLeft, Info, Waypoints } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import type { Overview } from '@/bridge';
import { Button } from '@/components';
import { ArrivalBody } from '@/panels/arrival/Arrival';
import { useWords } from '@/words';

/** What this program is for and what it leaves to others, its version and its home; and again what is different for those who come from Hermes Agent. */
export function About({ overview }: { overview: Overview | undefined }) {
  const { t } = useWords();
  const [arrival, setArrival] = useState(false);
  return (
    <Dialog.Root onOpenChange={(now) => now && setArrival(false)}>
      <Dialog.Trigger
        aria-label={t('about.title')}
        title={t('about.title')}
        className="flex size-9 items-center justify-center rounded-xl text-ink-soft hover:bg-surface/60 hover:text-ink dark:hover:bg-raised/50"
      >
        <Info aria-hidden="true" className="size-4.5" />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-[fade_120ms_ease-out] bg-black/40 backdrop-blur-[1px]" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100vh-2rem)] w-[min(38rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 animate-[rise_160ms_ease-out] flex-col rounded-2xl border border-line bg-surface p-6 shadow-pop dark:bg-raised"
        >
          {arrival ? (
            <Dialog.Title className="text-title font-semibold">{t('arrival.title')}</Dialog.Title>
          ) : (
            <Dialog.Title className="flex items-center gap-3 text-title font-semibold">
              <img src="./icon.svg" alt="" className="size-9" />
              <span>
                Hermes <span className="numbers font-normal text-ink-soft">{overview?.version}</span>
              </span>
            </Dialog.Title>
          )}
          <div tabIndex={arrival ? 0 : -1} className="mt-4 -mr-3 min-h-0 overflow-y-auto pr-3 pb-5">
            {arrival ? <ArrivalBody /> : <Facts overview={overview} />}
          </div>
          <div className="-mx-6 flex flex-wrap justify-end gap-2 border-t border-line px-6 pt-4">
            {arrival ? (
              <Button icon={<ArrowLeft />} className="mr-auto" onClick={() => setArrival(false)}>
                {t('arrival.back')}
              </Button>
            ) : (
              <Button icon={<Waypoints />} className="mr-auto" onClick={() => setArrival(true)}>
                {t('arrival.open')}
              </Button>
            )}
            <Dialog.Close asChild>
              <Button>{t('close')}</Button>
            </Dialog.Close>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Facts({ overview }: { overview: Overview | undefined }) {
  const { t } = useWords();
  return (
    <>
      <div className="space-y-2 text-ink-soft">
        <Scope />
      </div>
      {overview && (
        <dl className="mt-4 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-small">
          <dt className="text-ink-faint">{t('about.home')}</dt>
          <dd className="font-mono text-tiny leading-5 [overflow-wrap:anywhere]">{overview.home}</dd>
          <dt className="text-ink-faint">{t('about.model')}</dt>
          <dd>{overview.model || t('model.problem')}</dd>
        </dl>
      )}
    </>
  );
}

/** The scope in two sentences; it is also said before anything starts. */
export function Scope() {
  const { t } = useWords();
  return (
    <>
      <p>{t('about.does')}</p>
      <p>{t('about.leaves')}</p>
    </>
  );
}
