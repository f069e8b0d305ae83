import clsx from 'clsx';
import { ArrowRight, ShieldAlert } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { useArrival } from '@/app/queries';
import type { Arrival } from '@/bridge';
import { Notice } from '@/components';
import { useWords } from '@/words';
import { Differences } from './Differences';
import { Honoured, LostLocks, ObsoleteTexts, OtherKeys, PathPrograms, Unchecked } from './Points';

/** The page for a person who comes from Hermes Agent, as a card of its own; nothing where nothing is to be said. */
export function ArrivalCard() {
  const { t } = useWords();
  const id = useId();
  const { data, error, isPending } = useArrival();
  if (isPending) return <p className="px-1 text-small text-ink-faint">{t('arrival.looking')}</p>;
  if (data?.quiet) return null;
  return (
    <section aria-labelledby={id} className="rounded-2xl border border-line bg-surface p-5 shadow-card">
      <h2 id={id} className="text-title font-semibold">
        {t('arrival.title')}
      </h2>
      <p className="mt-0.5 text-ink-soft">{t('arrival.text')}</p>
      {error && (
        <Notice tone="bad" kind={t(`failure.${error.code}`)} hint={error.hint} className="mt-3">
          {error.message}
        </Notice>
      )}
      {data && <ArrivalPoints arrival={data} />}
    </section>
  );
}

/** The same inside of something that has a title already. */
export function ArrivalBody() {
  const { t } = useWords();
  const { data, error, isPending } = useArrival();
  if (isPending) return <p className="text-small text-ink-faint">{t('arrival.looking')}</p>;
  if (error) {
    return (
      <Notice tone="bad" kind={t(`failure.${error.code}`)} hint={error.hint}>
        {error.message}
      </Notice>
    );
  }
  return data.quiet && data.foreign_keys === 0 && data.programs.length === 0 ? <p>{t('arrival.quiet')}</p> : <ArrivalPoints arrival={data} />;
}

/** What is worth a line at the top, before the rest is read. */
export function ArrivalSummary() {
  const { t } = useWords();
  const { data } = useArrival();
  if (!data || data.quiet) return null;
  const lost = data.evidence.length;
  const different = new Set(data.servers.map((one) => one.server)).size;
  if (lost + different === 0) return null;
  return (
    <p className={clsx('mt-3 flex flex-wrap items-center gap-x-2 gap-y-0.5 rounded-xl px-3.5 py-2 text-small', lost > 0 ? 'bg-warn-soft' : 'bg-accent-soft')}>
      {lost > 0 ? <ShieldAlert aria-hidden="true" className="size-4 shrink-0 text-warn" /> : <ArrowRight aria-hidden="true" className="size-4 shrink-0 text-accent-text" />}
      {lost > 0 && <strong className="font-semibold text-warn">{t('arrival.lostCount', { count: lost })}</strong>}
      {different > 0 && <span>{t('arrival.differentCount', { count: different })}</span>}
      <span className="text-ink-soft">{t('arrival.below')}</span>
    </p>
  );
}

function ArrivalPoints({ arrival }: { arrival: Arrival }) {
  const { t } = useWords();
  const { path } = arrival.config;
  return (
    <div className="mt-4 space-y-5">
      <Point title={t('arrival.lost')} show={arrival.evidence.length > 0}>
        <LostLocks items={arrival.evidence} path={path} />
      </Point>
      <Point title={t('arrival.different')} show={arrival.servers.length > 0}>
        <Differences servers={arrival.servers} path={path} />
      </Point>
      <Point title={t('arrival.honoured')} show={arrival.honoured.length > 0}>
        <Honoured problems={arrival.honoured} path={path} />
      </Point>
      <Point title={t('arrival.obsolete')} show={arrival.obsolete.length > 0}>
        <ObsoleteTexts texts={arrival.obsolete} />
      </Point>
      <Point title={t('arrival.programs')} show={arrival.programs.length > 0}>
        <PathPrograms programs={arrival.programs} />
      </Point>
      {arrival.foreign_keys > 0 && <OtherKeys count={arrival.foreign_keys} sections={arrival.foreign_sections} />}
      <Unchecked items={arrival.unchecked} />
    </div>
  );
}

function Point({ title, show, children }: { title: string; show: boolean; children: ReactNode }) {
  if (!show) return null;
  return (
    <div>
      <h3 className="mb-1.5 text-small font-semibold text-ink-soft">{title}</h3>
      {children}
    </div>
  );
}
