import clsx from 'clsx';
import { ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import type { Tool } from '@/bridge';
import { Badge, Button, Foreign, Hint, Notice, plain, Switch } from '@/components';
import type { Failure } from '@/app/edits';
import { useWhy } from '@/app/queries';
import { useWords } from '@/words';
import { placeOf, type Bar, type Face } from './faces';

export interface ToolRowProps {
  tool: Tool;
  face: Face;
  /** What keeps it from being called beside the rules. */
  bar: Bar;
  /** The policy's own answer; false where it cannot be asked. */
  allowed: boolean;
  file: string;
  /** The wanted result that is on its way, painted over the answer. */
  wanted: boolean | undefined;
  failure: Failure | undefined;
  blocked: boolean;
  onWanted: (on: boolean, expand: boolean) => void;
  onDismiss: () => void;
}

/** One tool: its switch, its name, why it stands as it does, and what went wrong. */
export function ToolRow({ tool, face, bar, allowed, file, wanted, failure, blocked, onWanted, onDismiss }: ToolRowProps) {
  const { t, say } = useWords();
  const id = useId();
  const [open, setOpen] = useState(false);
  const shownOn = face !== 'unknown' && (wanted ?? allowed);
  const reason = face === 'unknown' ? t('policy.silent') : plain(say(tool.reason));
  const place = tool.line > 0 ? t('tools.place', { place: placeOf(file, tool.line) }) : '';
  // What bars a tool beside the rules is said first: the rules alone would promise too much.
  const why = [useBarWords(tool, bar, shownOn), reason, place].filter(Boolean).join(' ');
  const barred = (bar === 'changed' || bar === 'quarantined') && shownOn;
  const down = bar === 'down' && face === 'allowed' && shownOn;
  const state = wanted !== undefined ? t('tools.writing') : barred ? t('face.blocked') : down ? t('face.down') : t(`face.${face}`);
  return (
    <li data-tool={tool.name} data-face={face} className={clsx('px-4 py-2.5', failure && 'animate-[shake_180ms_ease-in-out_2]')}>
      <div className="flex items-start gap-3">
        <Hint text={why}>
          <span className="pt-0.5">
            <Switch
              label={t('tools.switch', { tool: plain(tool.name) })}
              describedBy={id + 'why'}
              on={shownOn}
              pending={wanted !== undefined}
              hollow={face === 'unseen' || face === 'unknown' || down}
              barred={barred}
              blocked={blocked}
              onWanted={(next) => onWanted(next, false)}
            />
          </span>
        </Hint>
        <div className="min-w-0 flex-1">
          <button
            type="button"
            aria-expanded={open}
            aria-controls={id + 'more'}
            onClick={() => setOpen(!open)}
            className="group flex w-full items-center gap-1.5 rounded text-left"
          >
            <span className={clsx('truncate font-mono text-small font-medium', !shownOn && 'text-ink-soft')}>
              <Foreign text={tool.name} />
            </span>
            <ChevronRight aria-hidden="true" className={clsx('size-3.5 shrink-0 text-ink-faint transition-transform', open && 'rotate-90')} />
            {tool.new && <Badge tone="accent">{t('tools.new')}</Badge>}
            {tool.changed && <Badge tone="warn">{t('tools.changedBadge')}</Badge>}
            {tool.quarantine !== '' && <Badge tone="warn">{t('tools.quarantinedBadge')}</Badge>}
            <span className={clsx('ml-auto shrink-0 pl-2 text-tiny', barred ? 'font-medium text-warn' : 'text-ink-soft')}>{state}</span>
          </button>
          {tool.description && !open && (
            <p className="mt-0.5 truncate text-small text-ink-faint">
              <Foreign text={firstLine(tool.description)} />
            </p>
          )}
          <span id={id + 'why'} className="sr-only">
            {why}
          </span>
          <div id={id + 'more'} hidden={!open}>
            {open && <ToolMore tool={tool} why={why} />}
          </div>
          {failure && (
            <div className="mt-2">
              <ToolFailure failure={failure} tool={tool} onWanted={onWanted} onDismiss={onDismiss} />
            </div>
          )}
        </div>
      </div>
    </li>
  );
}

/** Why a tool cannot be called whatever the rules say; '' where nothing bars it. */
function useBarWords(tool: Tool, bar: Bar, on: boolean): string {
  const { t } = useWords();
  switch (bar) {
    case 'quarantined':
      return t(on ? 'tools.quarantined' : 'tools.quarantinedOff', { reason: plain(tool.quarantine) });
    case 'changed':
      return t(on ? 'tools.changed' : 'tools.changedOff');
    case 'down':
      return on ? t('tools.down') : '';
    default:
      return '';
  }
}

function ToolMore({ tool, why }: { tool: Tool; why: string }) {
  const { t } = useWords();
  const hints = (['read_only', 'destructive'] as const).filter((hint) => tool[hint] === 'yes');
  return (
    <div className="mt-1.5 space-y-2 text-small">
      {tool.description && (
        <p className="break-words whitespace-pre-line text-ink-soft">
          <Foreign text={tool.description.trim()} />
        </p>
      )}
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        <dt className="text-ink-faint">{t('tools.why')}</dt>
        <dd className="break-words">{why}</dd>
        <AtCall tool={tool} />
        {tool.title && tool.title !== tool.name && (
          <>
            <dt className="text-ink-faint">{t('tools.titled')}</dt>
            <dd className="break-words">
              <Foreign text={tool.title} />
            </dd>
          </>
        )}
        {tool.held_by && (
          <>
            <dt className="text-ink-faint">{t('tools.pattern')}</dt>
            <dd className="font-mono text-tiny leading-5">{tool.held_by}</dd>
          </>
        )}
        {tool.public && (
          <>
            <dt className="text-ink-faint">{t('tools.public')}</dt>
            <dd className="font-mono text-tiny leading-5 break-all">
              <Foreign text={tool.public} />
            </dd>
          </>
        )}
        {hints.length > 0 && (
          <>
            <dt className="text-ink-faint">{t('tools.serverSays')}</dt>
            <dd className="flex gap-1.5">
              {hints.map((hint) => (
                <Badge key={hint} tone={hint === 'destructive' ? 'warn' : 'plain'}>
                  {t(`hint.${hint}`)}
                </Badge>
              ))}
            </dd>
          </>
        )}
      </dl>
    </div>
  );
}

/** What a call would meet behind the rules, where it would meet anything: a person who is asked, a hook, a glob that refuses it. */
function AtCall({ tool }: { tool: Tool }) {
  const { t, say } = useWords();
  const { data } = useWhy(tool.server, tool.name);
  if (!data || !data.rule.startsWith(gates)) return null;
  return (
    <>
      <dt className="text-ink-faint">{t('tools.atCall')}</dt>
      <dd className="break-words text-warn">
        <Foreign text={say(data.words)} />
      </dd>
    </>
  );
}

// backend/desk, the rules behind the policy.
const gates = 'gate.';

function ToolFailure({ failure, tool, onWanted, onDismiss }: Pick<ToolRowProps, 'tool' | 'onWanted' | 'onDismiss'> & { failure: Failure }) {
  const { t } = useWords();
  const { error } = failure;
  const held = error.code === 'refused' && tool.held_by !== '';
  return (
    <Notice
      live
      tone={error.code === 'conflict' || held ? 'warn' : 'bad'}
      kind={t(`failure.${error.code}`)}
      hint={error.code === 'conflict' ? t('failure.conflictHint') : error.hint}
      place={error.line > 0 ? placeOf(error.file, error.line, error.column) : ''}
      close={{ label: t('close'), run: onDismiss }}
      actions={
        held && (
          <Button small onClick={() => onWanted(failure.on, true)}>
            {t('tools.expand', { pattern: tool.held_by })}
          </Button>
        )
      }
    >
      {plain(error.message)}
    </Notice>
  );
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}
