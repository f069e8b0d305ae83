import clsx from 'clsx';
import { useEffect, useId, useRef, useState } from 'react';
import { useAccept, useChanges } from '@/app/queries';
import type { ChangeLine, ServerDetail, ToolChange } from '@/bridge';
import { Button, Foreign, Notice, plain } from '@/components';
import { useWords } from '@/words';

/** The id of the heading of the panel. */
export const headingId = 'server-name';

/** What is different about a server's tools: changed ones are blocked until they were seen, new ones follow the rules. */
export function Changed({ detail }: { detail: ServerDetail }) {
  return (
    <>
      <ChangedTools detail={detail} />
      <NewTools detail={detail} />
      <Quarantined detail={detail} />
    </>
  );
}

/** Gives the focus to the panel's heading when what was asked for has gone, and its button with it. */
function useReturn(count: number): () => void {
  const asked = useRef(false);
  useEffect(() => {
    if (count > 0 || !asked.current) return;
    asked.current = false;
    document.getElementById(headingId)?.focus();
  }, [count]);
  return () => {
    asked.current = true;
  };
}

function NewTools({ detail }: { detail: ServerDetail }) {
  const { t } = useWords();
  const accept = useAccept();
  const { server } = detail;
  const { live } = server;
  const count = live.new.length;
  const asked = useReturn(count);
  if (count === 0) return null;
  const way = live.new_off === 0 ? 'on' : live.new_off < count ? 'mixed' : server.tools.state === 'only' ? 'listed' : 'off';
  return (
    <Notice
      tone="info"
      kind={t('changed.new', { count })}
      hint={accept.error?.message ?? ''}
      actions={
        <Button
          small
          aria-disabled={accept.isPending}
          onClick={() => {
            if (accept.isPending) return;
            asked();
            accept.mutate({ server: server.name, tools: live.new, now: {} });
          }}
        >
          {t('changed.noted')}
        </Button>
      }
    >
      {t(`changed.${way}`, { on: count - live.new_off, off: live.new_off })}{' '}
      <span className="font-mono text-tiny [overflow-wrap:anywhere]">{live.new.map(plain).join(', ')}</span>
    </Notice>
  );
}

function Quarantined({ detail }: { detail: ServerDetail }) {
  const { t } = useWords();
  const blocked = detail.tools.filter((tool) => tool.quarantine !== '');
  if (blocked.length === 0) return null;
  return (
    <Notice tone="warn" kind={t('changed.quarantined', { count: blocked.length })}>
      {t('changed.aside')}
      <span role="list" className="mt-1 block max-h-40 overflow-y-auto">
        {blocked.map((tool) => (
          <span key={tool.name} role="listitem" className="block">
            <span className="font-mono text-tiny [overflow-wrap:anywhere]"><Foreign text={tool.name} /></span>: <Foreign text={tool.quarantine} lang="en" />
          </span>
        ))}
      </span>
    </Notice>
  );
}

function ChangedTools({ detail }: { detail: ServerDetail }) {
  const { t } = useWords();
  const id = useId();
  const { server } = detail;
  const count = server.live.changed;
  const [open, setOpen] = useState(false);
  const { data, error } = useChanges(count > 0 && open);
  const accept = useAccept();
  const asked = useReturn(count);
  const tools = data?.servers.find((one) => one.server === server.name)?.tools ?? [];
  if (count === 0) return null;
  return (
    <section aria-label={t('changed.title')} className="rounded-2xl border border-warn/40 bg-warn-soft text-small">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
        <p role="status" className="min-w-0 flex-1 basis-72 text-ink">
          <strong className="font-semibold text-warn">{t('changed.title')}</strong>
          <span aria-hidden="true"> · </span>
          {t('changed.text', { count })}
        </p>
        <Button small aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          {open ? t('changed.hide') : t('changed.show')}
        </Button>
      </div>
      <div id={id} hidden={!open} className="space-y-4 border-t border-warn/30 px-4 py-4">
        {error && (
          <Notice live tone="bad" kind={t(`failure.${error.code}`)} hint={error.hint}>
            {error.message}
          </Notice>
        )}
        {tools.map((change) => (
          <Difference key={change.tool} change={change} />
        ))}
        {accept.error && (
          <Notice
            live
            tone={accept.error.code === 'conflict' ? 'warn' : 'bad'}
            kind={t(accept.error.code === 'conflict' ? 'changed.conflict' : `failure.${accept.error.code}`)}
            hint={accept.error.code === 'conflict' ? t('changed.conflictHint') : accept.error.hint}
          >
            {accept.error.message}
          </Notice>
        )}
        {tools.length > 0 && (
          <Button
            look="primary"
            aria-disabled={accept.isPending}
            onClick={() => {
              if (accept.isPending) return;
              asked();
              accept.mutate({
                server: server.name,
                tools: tools.map((change) => change.tool),
                // What is accepted is what stands here, and nothing that came since.
                now: Object.fromEntries(tools.map((change) => [change.tool, change.now])),
              });
            }}
          >
            {t('changed.accept', { count: tools.length })}
          </Button>
        )}
      </div>
    </section>
  );
}

const looks: Record<string, { sign: string; look: string }> = {
  gone: { sign: '−', look: 'bg-bad-soft' },
  new: { sign: '+', look: 'bg-good-soft' },
};

/** One definition as it was seen and as it is now, line by line. */
function Difference({ change }: { change: ToolChange }) {
  const { t, language } = useWords();
  const since = new Date(change.since);
  const when = Number.isNaN(since.getTime()) ? '' : new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(since);
  return (
    <figure>
      <figcaption className="mb-1.5 flex flex-wrap items-baseline gap-x-3">
        <span className="font-mono font-medium break-all"><Foreign text={change.tool} /></span>
        <span className="text-tiny text-ink-soft">
          {when && t('changed.since', { time: when })} <span className="font-mono">{t('changed.hashes', { seen: change.seen, now: change.now })}</span>
        </span>
      </figcaption>
      {change.hidden && <p className="mb-1.5 font-medium text-warn">{t('changed.hidden')}</p>}
      <div
        role="region"
        tabIndex={0}
        aria-label={t('changed.diff', { tool: plain(change.tool) })}
        className="max-h-80 overflow-auto rounded-lg border border-line bg-surface py-1.5 font-mono text-tiny leading-5"
      >
        {change.lines.map((line, index) => (
          <Line key={index} line={line} />
        ))}
      </div>
    </figure>
  );
}

function Line({ line }: { line: ChangeLine }) {
  const { t } = useWords();
  const look = looks[line.kind];
  return (
    <p data-line={line.kind} className={clsx('flex gap-2 px-3', look?.look ?? 'text-ink-soft')}>
      <span aria-hidden="true" className="w-3 shrink-0 text-center select-none">
        {look?.sign ?? ' '}
      </span>
      {look && <span className="sr-only">{t(line.kind === 'new' ? 'changed.lineNew' : 'changed.lineGone')} </span>}
      <span className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
        <Foreign text={line.text} />
      </span>
    </p>
  );
}
