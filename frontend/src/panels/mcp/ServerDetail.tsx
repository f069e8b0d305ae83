import { Lock, LockOpen, PlugZap, ScrollText, SlidersHorizontal, TriangleAlert } from 'lucide-react';
import clsx from 'clsx';
import { Fragment, useEffect, useMemo, useRef } from 'react';
import { keyOf } from '@/app/edits';
import { rulesOf } from '@/app/policy';
import { useEdits, useServerDetail } from '@/app/queries';
import { usePolicy } from '@/app/services';
import type { Server, ServerDetail } from '@/bridge';
import { Empty, Foreign, Notice, plain } from '@/components';
import type { PolicyServer } from '@/policy';
import { useWords } from '@/words';
import { Changed, headingId } from './Changed';
import { isDown, placeOf } from './faces';
import { Grants } from './Grants';
import { HeldBanner } from './HeldBanner';
import { Problems } from './Problems';
import { ServerActions } from './ServerActions';
import { Session } from './Session';
import { Status } from './Status';
import { ToolList } from './ToolList';
import { problemsOf, usePanelWords } from './words';

/** One server: how it is, what its rules say, its tools, its log. */
export function ServerDetailPane({ name, path, started }: { name: string; path: string; started: boolean }) {
  const { t } = useWords();
  const { data: detail, error, isPending } = useServerDetail(name);
  const rules = useRules(detail);
  if (isPending) return <p className="p-8 text-ink-soft">{t('loading')}</p>;
  if (!detail) {
    return (
      <div className="p-6">
        <Notice tone="bad" kind={t(`failure.${error?.code ?? 'failed'}`)} hint={error?.hint ?? ''}>
          {error?.message ?? ''}
        </Notice>
      </div>
    );
  }
  const { server } = detail;
  return (
    <article aria-label={server.name} className="mx-auto max-w-4xl space-y-5 px-6 py-6 lg:px-8">
      <header>
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
          <div className="flex min-w-0 flex-wrap items-center gap-x-3">
            <h2 id={headingId} tabIndex={-1} className="max-w-full truncate rounded text-display font-semibold tracking-tight">{server.name}</h2>
            <span role="status">
              <Status server={server} />
            </span>
          </div>
          <ServerActions detail={detail} rules={rules} />
        </div>
        <p className="mt-1.5 line-clamp-2 font-mono text-tiny leading-5 text-ink-faint [overflow-wrap:anywhere]" title={server.target}>
          {server.target}
        </p>
        <p className="font-mono text-tiny leading-5 text-ink-faint [overflow-wrap:anywhere]">{placeOf(path, server.line)}</p>
        {/* What makes a server invalid is told below, with its place and what to write; a held one has its banner. */}
        {((server.tools.state !== 'invalid' && !server.tools.held) || !rules) && <PanelLine detail={detail} rules={rules} />}
        {rules && <NoneNow server={server} />}
        {rules && <Helpers server={server} />}
        {server.reason && (server.status === 'disabled' || (server.status === 'ready' && !server.connection.lazy)) && (
          <p className="mt-2 text-small text-ink-soft">
            <Foreign text={server.reason} lang="en" />
          </p>
        )}
      </header>
      <ServerFailure name={name} />
      <HeldBanner detail={detail} rules={rules} path={path} />
      <Session server={server} />
      <Changed detail={detail} />
      <Grants server={server.name} />
      <Problems problems={problemsOf(server)} path={path} />
      <Unmatched detail={detail} />
      {detail.tools.length > 0 ? (
        <ToolList key={name} detail={detail} rules={rules} file={path} />
      ) : (
        <Empty icon={<PlugZap />} title={t('tools.noneTitle')}>
          {t(`tools.${emptyReason(server, started)}`)}
        </Empty>
      )}
      <ServerLog detail={detail} />
    </article>
  );
}

function emptyReason(server: Server, started: boolean): 'noneInvalid' | 'noneLocked' | 'none' | 'noneStarted' {
  if (server.tools.state === 'invalid') return 'noneInvalid';
  if (server.tools.locked) return 'noneLocked';
  return started ? 'none' : 'noneStarted';
}

/** The rules of a server to ask; they are given back when another tree comes. */
function useRules(detail: ServerDetail | undefined): PolicyServer | null {
  const policy = usePolicy();
  const tree = detail?.tree;
  const tools = detail?.tools;
  // eslint-disable-next-line react-hooks/exhaustive-deps -- the tree and the tools are all that is read
  const rules = useMemo(() => (detail ? rulesOf(policy, detail) : null), [policy, tree, tools]);
  const before = useRef<PolicyServer | null>(null);
  useEffect(() => {
    if (before.current && before.current !== rules) before.current.free();
    before.current = rules;
  }, [rules]);
  return rules;
}

/** The sentence of the panel; while one switch is on its way, the sentence as it would be. */
function PanelLine({ detail, rules }: { detail: ServerDetail; rules: PolicyServer | null }) {
  const { t, say } = useWords();
  const panel = usePanelWords();
  const { state } = useEdits();
  const { server, tools } = detail;
  const waiting = tools.filter((tool) => state.pending.has(keyOf({ server: server.name, tool: tool.name })));
  const [only] = waiting;
  let words = panel(server);
  let { locked } = server.tools;
  if (rules && only && waiting.length === 1) {
    const on = state.pending.get(keyOf({ server: server.name, tool: only.name })) ?? false;
    const preview = rules.preview({ action: on ? 'on' : 'off', tool: only.name });
    if (preview.outcome !== 'refused') {
      words = say(preview.panel);
      ({ locked } = preview);
    }
  }
  const kind = locked ? 'lock' : server.tools.state;
  const Sign = { lock: Lock, open: LockOpen, invalid: TriangleAlert }[kind] ?? SlidersHorizontal;
  return (
    <p
      role="status"
      data-state={server.tools.state}
      className={clsx(
        'numbers mt-4 inline-flex items-center gap-2 rounded-xl px-3.5 py-2 text-body font-medium',
        kind === 'lock' && 'bg-lock-soft text-lock',
        kind === 'invalid' && 'bg-bad-soft text-bad',
        kind === 'open' && 'bg-sunken text-ink dark:bg-raised',
        (kind === 'only' || kind === 'except') && 'bg-accent-soft text-accent-text',
      )}
    >
      <Sign aria-hidden="true" className="size-4 shrink-0" />
      {rules ? words : t('policy.silent')}
    </p>
  );
}

/** Says of a server that does not run that the rules' words are a promise for later. */
function NoneNow({ server }: { server: Server }) {
  const { t } = useWords();
  if (!isDown(server) || server.tools.locked || server.tools.state === 'invalid') return null;
  return <p className="mt-1.5 text-small text-ink-soft">{t('tools.noneNow', { state: t(`status.${server.status}`) })}</p>;
}

/** The tools Hermes makes for a server's resources and prompts, where the rules leave them on. Whether the server has any is not known here. */
function Helpers({ server }: { server: Server }) {
  const { t } = useWords();
  const { resources, prompts } = server.tools;
  const names = [...(resources ? ['list_resources', 'read_resource'] : []), ...(prompts ? ['list_prompts', 'get_prompt'] : [])];
  if (names.length === 0 || server.tools.locked || server.tools.state === 'invalid') return null;
  return (
    <p className="mt-1.5 text-small text-ink-soft">
      {t('tools.helpers')} <span className="font-mono text-tiny">{names.join(', ')}</span>
    </p>
  );
}

function ServerFailure({ name }: { name: string }) {
  const { t } = useWords();
  const { edits, state } = useEdits();
  const failure = state.failures.get(keyOf({ server: name }));
  const warnings = state.warnings.get(name) ?? [];
  if (failure) {
    const { error } = failure;
    return (
      <Notice
        live
        tone={error.code === 'conflict' ? 'warn' : 'bad'}
        kind={t(`failure.${error.code}`)}
        hint={error.code === 'conflict' ? t('failure.conflictHint') : error.hint}
        place={error.line > 0 ? placeOf(error.file, error.line, error.column) : ''}
        close={{ label: t('close'), run: () => edits.dismiss({ server: name }) }}
      >
        {plain(error.message)}
      </Notice>
    );
  }
  return warnings.map((warning) => (
    <Notice key={warning} live tone="warn" kind={t('problems.warning')} close={{ label: t('close'), run: () => edits.noteWarnings(name) }}>
      {plain(warning)}
    </Notice>
  ));
}

function Unmatched({ detail }: { detail: ServerDetail }) {
  const { t } = useWords();
  const { unmatched } = detail.server.live;
  if (unmatched.length === 0) return null;
  return (
    <Notice tone="info" kind={t('unmatched.kind')}>
      {t('unmatched.text', { count: unmatched.length, patterns: unmatched.join(', ') })}
    </Notice>
  );
}

function ServerLog({ detail }: { detail: ServerDetail }) {
  const { t } = useWords();
  if (detail.log.length === 0) return null;
  return (
    <details className="group rounded-xl border border-line">
      <summary className="flex list-none items-center gap-2 rounded-xl px-4 py-2.5 font-medium select-none">
        <ScrollText aria-hidden="true" className="size-4 text-ink-faint" />
        {t('log.title')}
        <span className="numbers text-small font-normal text-ink-faint">{t('log.lines', { count: detail.log.length })}</span>
      </summary>
      <pre
        tabIndex={0}
        aria-label={t('log.title')}
        className="max-h-72 overflow-auto border-t border-line px-4 py-3 font-mono text-tiny leading-5 whitespace-pre-wrap text-ink-soft"
      >
        {detail.log.map((line, index) => (
          <Fragment key={index}>
            <Foreign text={line} />
            {'\n'}
          </Fragment>
        ))}
      </pre>
    </details>
  );
}
