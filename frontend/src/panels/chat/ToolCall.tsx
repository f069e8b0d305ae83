import clsx from 'clsx';
import { Ban, Check, ChevronRight, CircleHelp, CircleSlash, Hand, LoaderCircle, X, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { Collapsible } from 'radix-ui';
import { useServices } from '@/app/services';
import { resultPath, toCallError } from '@/bridge';
import { Button, Foreign, laidOut, plain } from '@/components';
import { useQuestions } from '@/panels/questions/questions';
import { useWords } from '@/words';
import type { CallItem, CallStatus, Progress } from './events';

const looks: Record<CallStatus, { icon: LucideIcon; color: string }> = {
  running: { icon: LoaderCircle, color: 'text-accent-text' },
  ok: { icon: Check, color: 'text-good' },
  error: { icon: X, color: 'text-bad' },
  denied: { icon: Ban, color: 'text-bad' },
  blocked: { icon: Ban, color: 'text-warn' },
  interrupted: { icon: CircleSlash, color: 'text-warn' },
  unknown: { icon: CircleHelp, color: 'text-warn' },
};

// Those that need a word about what they mean for what was done.
const meant: readonly CallStatus[] = ['denied', 'blocked', 'interrupted', 'unknown'];

/** The card on which a call waits for a person, '' where it does not. */
function useWaiting(call: CallItem, session: string | null): string {
  const questions = useQuestions();
  if (call.status !== 'running') return '';
  return questions.find((one) => one.session === session && one.calls.some((asked) => asked.call === call.id))?.id ?? '';
}

/** One call of a tool: who was asked for what, and what came of it. */
export function ToolCall({ call, session }: { call: CallItem; session: string | null }) {
  const { t, language, sayAll } = useWords();
  const [open, setOpen] = useState(false);
  const count = (n: number) => new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(n);
  const card = useWaiting(call, session);
  const look = card ? { icon: Hand, color: 'text-warn' } : looks[call.status];
  const Icon = look.icon;
  const { progress } = call;
  const summary = progress?.text || oneLine(call.args);
  // In English it is the result itself.
  const said = sayAll(call.said, '');
  const far = progress && progress.total > 0 ? t('call.far', { done: count(progress.done), total: count(progress.total) }) : '';
  return (
    <Collapsible.Root open={open} onOpenChange={setOpen} data-call={call.id} data-status={call.status} data-waits={card || undefined} className="relative">
      <Collapsible.Trigger className="flex w-full items-center gap-2 px-3.5 py-2 text-left text-small hover:bg-sunken/70">
        <Icon aria-hidden="true" className={clsx('size-4 shrink-0', look.color, call.status === 'running' && !card && 'animate-spin')} />
        <span className="min-w-0 flex-1 truncate">
          {call.server && <span className="text-ink-faint"><Foreign text={call.server} /> › </span>}
          <span className="font-mono font-medium">
            <Foreign text={call.tool || call.name} />
          </span>
          {summary && <span className="ml-2 font-mono text-tiny text-ink-faint">
              <Foreign text={summary} />
            </span>}
        </span>
        <span className={clsx('shrink-0 text-tiny font-medium', look.color)}>{card ? t('call.waits') : far || t(`call.${call.status}`)}</span>
        <ChevronRight aria-hidden="true" className={clsx('size-3.5 shrink-0 text-ink-faint transition-transform', open && 'rotate-90')} />
      </Collapsible.Trigger>
      {progress && <Bar progress={progress} label={t('call.progress', { tool: plain(call.tool || call.name) })} words={[far, plain(progress.text)].filter(Boolean).join(', ')} />}
      <Collapsible.Content className="space-y-3 px-3.5 pt-1 pb-3.5">
        <dl className="flex flex-wrap gap-x-5 gap-y-0.5 text-tiny">
          <div className="flex gap-1.5">
            <dt className="text-ink-faint">{t('call.server')}</dt>
            <dd>{call.server ? <Foreign text={call.server} /> : t('call.noServer')}</dd>
          </div>
          <div className="flex min-w-0 gap-1.5">
            <dt className="text-ink-faint">{t('call.name')}</dt>
            <dd className="font-mono break-all">
              <Foreign text={call.name} />
            </dd>
          </div>
        </dl>
        {(meant.includes(call.status) || card) && <p className="text-small text-ink-soft">{card ? t('means.waits') : t(`means.${call.status}`)}</p>}
        {said && (
          <p className="text-small text-ink-soft">
            <Foreign text={said} />
          </p>
        )}
        {card && (
          <Button small onClick={() => document.querySelector<HTMLElement>(`[data-card="${CSS.escape(card)}"]`)?.focus()}>
            {t('call.answer')}
          </Button>
        )}
        <Block title={t('call.arguments')} text={laidOut(call.args)} />
        {call.status !== 'running' && <Result call={call} session={session} />}
      </Collapsible.Content>
    </Collapsible.Root>
  );
}

/** How far a running call is: a line at the row's foot, which takes no room when it comes and goes. */
function Bar({ progress, label, words }: { progress: Progress; label: string; words: string }) {
  const { done, total } = progress;
  const known = total > 0;
  const share = known ? Math.min(1, Math.max(0, done / total)) : 1;
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuetext={words || undefined}
      {...(known && { 'aria-valuemin': 0, 'aria-valuemax': total, 'aria-valuenow': Math.min(total, Math.max(0, done)) })}
      className="absolute inset-x-0 top-9 h-0.5 bg-sunken"
    >
      <div
        style={{ transform: `scaleX(${share})` }}
        className={clsx('h-full origin-left bg-accent transition-transform duration-200', !known && 'animate-[blink_900ms_ease-in-out_infinite]')}
      />
    </div>
  );
}

/** The result; of a long one the beginning, and the whole on request. */
function Result({ call, session }: { call: CallItem; session: string | null }) {
  const { t, language } = useWords();
  const { transport } = useServices();
  const [whole, setWhole] = useState<string | null>(null);
  const [state, setState] = useState<'idle' | 'loading' | { problem: string }>('idle');
  const size = new Intl.NumberFormat(language, { style: 'unit', unit: 'kilobyte', maximumFractionDigits: 0 }).format(Math.ceil(call.size / 1024));
  const load = async () => {
    setState('loading');
    try {
      setWhole(await transport.data(resultPath(session ?? '', call.id)));
      setState('idle');
    } catch (err) {
      setState({ problem: toCallError(err).message });
    }
  };
  return (
    <div>
      <Block title={t('call.result')} text={whole ?? call.content} empty={t('call.empty')} />
      {call.truncated && whole === null && (
        <p className="mt-2 flex items-center gap-3 text-tiny text-ink-soft">
          {t('call.truncated')}
          <Button small disabled={state === 'loading' || session === null} onClick={() => void load()}>
            {t('call.showAll', { size })}
          </Button>
          {typeof state === 'object' && (
            <span role="alert" className="text-bad">
              {state.problem}
            </span>
          )}
        </p>
      )}
    </div>
  );
}

function Block({ title, text, empty = '' }: { title: string; text: string; empty?: string }) {
  return (
    <figure>
      <figcaption className="mb-1 text-tiny font-medium text-ink-faint">{title}</figcaption>
      <pre
        tabIndex={0}
        aria-label={title}
        className="max-h-72 overflow-auto rounded-lg bg-sunken px-3 py-2 font-mono text-tiny leading-5 break-words whitespace-pre-wrap"
      >
        {text ? <Foreign text={text} /> : empty}
      </pre>
    </figure>
  );
}

/** The values of the arguments in one line, for a glance. */
export function oneLine(args: string): string {
  try {
    const parsed: unknown = JSON.parse(args);
    if (parsed === null || typeof parsed !== 'object') return String(parsed);
    return Object.values(parsed)
      .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
      .join(' ')
      .slice(0, 200);
  } catch {
    return args.slice(0, 200);
  }
}
