import { Globe, Play, SquareTerminal, Package } from 'lucide-react';
import type { Overview, Program } from '@/bridge';
import { Badge, Button, Notice } from '@/components';
import { ArrivalCard, ArrivalSummary } from '@/panels/arrival/Arrival';
import { useWords } from '@/words';
import { Scope } from './About';
import { useStart } from './queries';

/** Before anything starts: which programs that would be, and the click that starts them. */
export function FirstLook({ overview }: { overview: Overview }) {
  const { t } = useWords();
  const start = useStart();
  const starting = overview.programs.filter((program) => program.starts);
  const staying = overview.programs.filter((program) => !program.starts);
  return (
    <>
      <section aria-labelledby="first-look" className="rounded-2xl border border-line bg-surface p-5 shadow-card">
        <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
          <div className="min-w-0 flex-1 basis-72">
            <h2 id="first-look" className="text-title font-semibold">
              {t('first.title')}
            </h2>
            <p className="mt-0.5 text-ink-soft">{t('first.text')}</p>
          </div>
          <Button look="primary" icon={<Play />} disabled={start.isPending} onClick={() => start.mutate()}>
            {starting.length === 0 ? t('first.go') : t('first.start', { count: starting.length })}
          </Button>
        </div>
        {start.error && (
          <Notice live tone="bad" kind={t(`failure.${start.error.code}`)} hint={start.error.hint} className="mt-3">
            {start.error.message}
          </Notice>
        )}
        {!overview.demo && <ArrivalSummary />}
        {starting.length > 0 && <Programs title={t('first.would')} programs={starting} />}
        {staying.length > 0 && <Programs title={t('first.wouldNot')} programs={staying} />}
        <div className="mt-4 space-y-1 border-t border-line pt-3 text-small text-ink-soft">
          <Scope />
        </div>
      </section>
      {!overview.demo && <ArrivalCard />}
    </>
  );
}

/** The same in one line, where something else is looked at. */
export function NotStarted({ overview, onShow }: { overview: Overview; onShow?: () => void }) {
  const { t } = useWords();
  const start = useStart();
  const count = overview.programs.filter((program) => program.starts).length;
  return (
    <Notice
      tone="info"
      kind={t('first.notStarted')}
      hint={start.error?.message ?? ''}
      actions={
        <>
          <Button small look="primary" disabled={start.isPending} onClick={() => start.mutate()}>
            {count === 0 ? t('first.go') : t('first.start', { count })}
          </Button>
          {onShow && (
            <Button small onClick={onShow}>
              {t('first.show')}
            </Button>
          )}
        </>
      }
    >
      {t('first.notStartedText')}
    </Notice>
  );
}

const signs: Record<string, typeof Globe> = { stdio: SquareTerminal, http: Globe, sse: Globe };

function Programs({ title, programs }: { title: string; programs: readonly Program[] }) {
  const { t } = useWords();
  return (
    <>
      <h3 className="mt-4 mb-1.5 text-small font-semibold text-ink-soft">{title}</h3>
      <ul className="divide-y divide-line rounded-xl border border-line">
        {programs.map((program) => {
          const Sign = signs[program.kind] ?? Package;
          return (
            <li key={program.server} className="flex gap-3 px-3.5 py-2.5">
              <Sign aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-ink-faint" />
              <div className="min-w-0 flex-1">
                <p className="font-medium">{program.server}</p>
                <p className="font-mono text-tiny leading-5 [overflow-wrap:anywhere] text-ink-soft">{program.target || t(`kind.${program.kind || 'none'}`)}</p>
                {program.env_keys.length > 0 && (
                  <p className="mt-1 flex flex-wrap items-center gap-1 text-tiny text-ink-faint">
                    {t('first.env')}
                    {program.env_keys.map((key) => (
                      <Badge key={key}>{key}</Badge>
                    ))}
                  </p>
                )}
                {!program.starts && program.reason && <p className="mt-0.5 text-small text-ink-soft">{program.reason}</p>}
              </div>
            </li>
          );
        })}
      </ul>
    </>
  );
}
