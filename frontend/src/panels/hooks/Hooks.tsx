import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { Webhook } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { useServices } from '@/app/services';
import type { CallError, Hook, HookElsewhere, HookPick, HooksList } from '@/bridge';
import { Badge, Button, Foreign, Notice, plain } from '@/components';
import { placeOf } from '@/panels/mcp/faces';
import { momentOf } from '@/panels/mcp/session';
import { useWords } from '@/words';
import { HookDetail } from './HookDetail';
import { pickOf, useForget } from './hooks';

/** How many hooks the file has, or how many nobody trusts, and on a click what they are. Without one there is nothing to say. */
export function HooksButton({ revision }: { revision: string }) {
  const { t } = useWords();
  const { transport } = useServices();
  const { data, error } = useQuery<HooksList, CallError>({ queryKey: ['hooks', revision], enabled: revision !== '', queryFn: () => transport.call('Hooks') });
  const [open, setOpen] = useState(false);
  const [seen, setSeen] = useState<HookPick | null>(null);
  if (!error && (!data || data.hooks.length + data.not_run.length === 0)) return null;
  const waiting = data?.hooks.filter((one) => one.state !== 'trusted').length ?? 0;
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(now) => {
        setOpen(now);
        setSeen(null);
      }}
    >
      <Dialog.Trigger asChild>
        <Button small look="quiet" icon={<Webhook />} className={clsx('w-full', waiting > 0 && 'text-warn')}>
          {waiting > 0 ? t('hooks.waiting', { count: waiting }) : t('hooks.count', { count: data?.hooks.length ?? 0 })}
        </Button>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-[fade_120ms_ease-out] bg-black/40 backdrop-blur-[1px]" />
        <Dialog.Content className="fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100vh-2rem)] w-[min(46rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 animate-[rise_160ms_ease-out] flex-col rounded-2xl border border-line bg-surface p-6 shadow-pop dark:bg-raised">
          <Dialog.Title className="text-title font-semibold">{t('hooks.title')}</Dialog.Title>
          <Dialog.Description className="mt-0.5 break-words text-ink-soft">{t('hooks.text', { path: data?.file ?? '' })}</Dialog.Description>
          <div className="mt-4 -mr-3 min-h-0 space-y-4 overflow-y-auto pr-3 pb-5">
            {error && (
              <Notice tone="bad" kind={t(`failure.${error.code}`)} hint={error.hint}>
                {error.message}
              </Notice>
            )}
            {seen ? <HookDetail pick={seen} onBack={() => setSeen(null)} /> : data && <List list={data} onLook={setSeen} />}
          </div>
          <div className="-mx-6 flex justify-end border-t border-line px-6 pt-4">
            <Dialog.Close asChild>
              <Button>{t('close')}</Button>
            </Dialog.Close>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function List({ list, onLook }: { list: HooksList; onLook: (pick: HookPick) => void }) {
  const { t, problem } = useWords();
  const forget = useForget();
  return (
    <>
      {forget.error && (
        <Notice live tone="bad" kind={t(`failure.${forget.error.code}`)} hint={forget.error.hint}>
          {forget.error.message}
        </Notice>
      )}
      {forget.data?.changed && (
        <Notice live tone="info" kind={t('hooks.title')}>
          {t('hooks.revokedNow')}
        </Notice>
      )}
      {list.problems.map((one) => {
        const words = problem(one);
        return (
          <Notice key={one.code + one.line} tone={one.severity === 'error' ? 'bad' : 'warn'} kind={t('hooks.title')} hint={words.hint} place={placeOf(one.file, one.line, one.column)}>
            {words.message}
          </Notice>
        );
      })}
      {list.hooks.length === 0 && <p className="text-ink-soft">{t('hooks.none')}</p>}
      <ol className="space-y-2">
        {list.hooks.map((hook) => (
          <li key={hook.index} className="rounded-xl border border-line px-4 py-3">
            <Row hook={hook} busy={forget.isPending} onLook={() => onLook(pickOf(hook))} onForget={() => forget.mutate(pickOf(hook))} />
          </li>
        ))}
      </ol>
      {list.not_run.length > 0 && (
        <section aria-label={t('hooks.elsewhere')}>
          <h3 className="mb-1.5 text-small font-semibold text-ink-soft">{t('hooks.elsewhere')}</h3>
          <ul className="space-y-2">
            {list.not_run.map((one, at) => (
              <li key={at} className="flex flex-wrap items-center gap-x-4 gap-y-1 text-small">
                <Elsewhere one={one} />
                {one.consent && (
                  <Button small disabled={forget.isPending} aria-label={t('hooks.revokeOne', { name: plain(one.command) })} onClick={() => forget.mutate(pickOf(one))}>
                    {t('hooks.revoke')}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
      {list.notes.length > 0 && (
        <section aria-label={t('hooks.notes')} className="text-tiny text-ink-soft">
          {list.notes.map((note) => (
            <p key={note} lang="en">
              {note}
            </p>
          ))}
        </section>
      )}
    </>
  );
}

function Elsewhere({ one }: { one: HookElsewhere }) {
  const { sayAll } = useWords();
  return (
    <p className="min-w-0 flex-1 basis-64 break-words">
      <span className="text-ink-faint">{one.event}</span>{' '}
      <span className="font-mono text-tiny">
        <Foreign text={one.command} />
      </span>
      <span className="block text-tiny text-ink-soft">{sayAll(one.said ?? [], one.reason)}</span>
    </p>
  );
}

const tones = { trusted: 'good', changed: 'warn', untrusted: 'warn', unusable: 'bad' } as const;

function Row({ hook, busy, onLook, onForget }: { hook: Hook; busy: boolean; onLook: () => void; onForget: () => void }) {
  const { t, language, sayAll } = useWords();
  const everything = hook.matcher === '' || hook.matcher === '*';
  const known = hook.state in tones ? (hook.state as keyof typeof tones) : 'unusable';
  return (
    <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
      <div className="min-w-0 flex-1 basis-72 space-y-1">
        <p className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 font-mono text-small font-medium [overflow-wrap:anywhere]">
            <Foreign text={hook.command} />
          </span>
          <Badge tone={tones[known]}>{t(`hooks.${known}`)}</Badge>
        </p>
        <p className="text-tiny text-ink-soft">
          {hook.event} {t('hooks.for')} {everything ? t('hooks.forAll') : <span className="font-mono [overflow-wrap:anywhere]"><Foreign text={hook.matcher} /></span>} · {t('hooks.seconds', { n: hook.timeout })} ·{' '}
          <span className="font-mono">{placeOf(hook.file.split('/').at(-1) ?? '', hook.line, 0)}</span>
        </p>
        <p className="text-tiny text-ink-soft first-letter:uppercase">{hook.state === 'trusted' ? t('hooks.since', { time: momentOf(hook.approved_at ?? '', language) }) : sayAll(hook.said ?? [], hook.reason)}</p>
        <p className="text-tiny text-ink-faint">{hook.event !== 'pre_tool_call' ? t('hooks.watches') : hook.state !== 'trusted' ? t('hooks.effect') : hook.fail_open ? t('hooks.opens') : t('hooks.blocks')}</p>
      </div>
      <div className="flex gap-2">
        <Button small aria-label={t('hooks.lookOne', { name: plain(hook.command) })} onClick={onLook}>
          {t('hooks.look')}
        </Button>
        {hook.approved_at && (
          <Button small disabled={busy} aria-label={t('hooks.revokeOne', { name: plain(hook.command) })} onClick={onForget}>
            {t('hooks.revoke')}
          </Button>
        )}
      </div>
    </div>
  );
}
