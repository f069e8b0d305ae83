import clsx from 'clsx';
import { RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMeasure, useRetry } from '@/app/queries';
import { useNow } from '@/app/clock';
import type { Connection, Server } from '@/bridge';
import { Button, Foreign, plain } from '@/components';
import { useWords } from '@/words';
import { inShort, momentOf, secondsOf, size, spanOf } from './session';

/** The states in which there is, or should be, a session. */
const running = ['connected', 'starting', 'failed', 'parked', 'needs_auth'];
const stuck = ['failed', 'parked', 'needs_auth'];

/** A server's session: how it is and since when, what comes next, and what it costs. */
export function Session({ server }: { server: Server }) {
  const { t } = useWords();
  if (!running.includes(server.status) && !(server.status === 'ready' && server.connection.lazy)) return null;
  const { connection } = server;
  return (
    <section aria-label={t('session.title')} className="overflow-hidden rounded-xl border border-line bg-surface text-small">
      <div className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-2">
        <div className="min-w-0 flex-1 basis-64">
          <State server={server} />
          <Next server={server} />
          {inShort(server.reason) !== server.reason && (
            <details className="mt-0.5 text-tiny text-ink-soft">
              <summary className="w-fit rounded text-accent-text select-none">{t('session.whole')}</summary>
              <p className="mt-1 max-h-40 overflow-y-auto [overflow-wrap:anywhere]" tabIndex={0}>
                <Foreign text={server.reason} lang="en" />
              </p>
            </details>
          )}
        </div>
        {stuck.includes(server.status) && connection.process === 0 && <Retry name={server.name} />}
      </div>
      <Figures server={server} />
      {(connection.noise > 0 || connection.process !== 0) && (
        <p className="border-t border-line px-4 py-2 text-ink-soft">
          {connection.noise > 0 && t('session.noise', { count: connection.noise })}{' '}
          {connection.process !== 0 && t('session.other', { process: connection.process })}
        </p>
      )}
    </section>
  );
}

/** Why it is as it is, and since when; the state itself stands at the name. What counts is not said aloud each second. */
function State({ server }: { server: Server }) {
  const { t, language } = useWords();
  const { status, connection } = server;
  // For how long it starts is counted below.
  const since = status === 'starting' ? '' : momentOf(connection.since, language);
  const why = status === 'ready' ? t('session.lazy') : inShort(server.reason);
  return (
    <p role="status" className="break-words first-letter:uppercase">
      {why && <span className={clsx(status === 'failed' ? 'text-bad' : stuck.includes(status) ? 'text-warn' : 'text-ink')}>
          {status === 'ready' ? why : <Foreign text={why} lang="en" />}
        </span>}
      {why && since && <span aria-hidden="true"> · </span>}
      {since && <span className="numbers text-ink-faint">{t('session.since', { time: since })}</span>}
    </p>
  );
}

/** What comes next and when, counted here. */
function Next({ server }: { server: Server }) {
  const { t } = useWords();
  const { status, connection } = server;
  const next = connection.next_try !== '';
  const counting = status === 'starting' || (stuck.includes(status) && next);
  const now = useNow(counting);
  if (status === 'connected' || status === 'ready') return null;
  const parts: ReactNode[] = [];
  if (status === 'needs_auth') parts.push(t('session.login', { command: `hermes mcp login ${server.name}` }));
  else if (status === 'starting') parts.push(t('session.going', { span: spanOf(secondsOf(now - Date.parse(connection.since))) }));
  else if (!next) parts.push(t('session.never'));
  if (next && status !== 'starting') {
    const seconds = Math.ceil((Date.parse(connection.next_try) - now) / 1000);
    parts.push(seconds > 0 ? t('session.next', { span: spanOf(seconds) }) : t('session.now'));
  }
  if (connection.attempts > 0) parts.push(t('session.attempts', { count: connection.attempts }));
  return (
    <p role="timer" className="numbers text-ink-soft first-letter:uppercase">
      {parts.join(' · ')}
    </p>
  );
}

function Retry({ name }: { name: string }) {
  const { t } = useWords();
  const retry = useRetry(name);
  return (
    <div className="flex items-center gap-3">
      {retry.error && (
        <span role="alert" className="text-bad">
          {plain(retry.error.message)}
        </span>
      )}
      <Button small icon={<RotateCw />} disabled={retry.isPending} onClick={() => retry.mutate()}>
        {t('session.retry')}
      </Button>
    </div>
  );
}

/** What is known in figures; unknown ones keep their place, so that nothing jumps when a state changes. */
function Figures({ server }: { server: Server }) {
  const { t, language } = useWords();
  const { status, connection } = server;
  const measurable = status === 'connected' && connection.pid !== 0;
  const { data } = useMeasure(server.name, measurable);
  const cost: Connection | undefined = measurable ? data : undefined;
  const number = (value: number, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(language, options).format(value);
  const figures: [string, string][] = [
    [t('session.version'), plain(connection.version)],
    [t('session.protocol'), plain(connection.protocol)],
    [t('session.tools'), server.live.known ? String(server.live.total) : ''],
    [t('session.latency'), connection.latency_ms > 0 ? number(connection.latency_ms, { style: 'unit', unit: 'millisecond', maximumFractionDigits: connection.latency_ms < 10 ? 1 : 0 }) : ''],
    [t('session.memory'), cost && cost.memory_bytes > 0 ? size(cost.memory_bytes, language) : ''],
    [t('session.cpu'), cost && cost.memory_bytes > 0 ? number(cost.cpu_percent / 100, { style: 'percent', maximumFractionDigits: 1 }) : ''],
  ];
  return (
    <dl className="grid grid-cols-3 gap-px border-t border-line bg-line lg:grid-cols-6">
      {figures.map(([label, value]) => (
        <div key={label} className="min-w-0 bg-surface px-4 py-2">
          <dt className="truncate text-tiny text-ink-faint">{label}</dt>
          <dd title={value || undefined} className={clsx('numbers truncate', !value && 'text-ink-faint')}>
            {value || '–'}
          </dd>
        </div>
      ))}
    </dl>
  );
}
