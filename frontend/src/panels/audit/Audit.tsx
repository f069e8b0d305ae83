import clsx from 'clsx';
import { ShieldAlert, ShieldCheck } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { useAudit } from '@/app/queries';
import type { Audit, AuditItem } from '@/bridge';
import { Button, Notice } from '@/components';
import { placeOf } from '@/panels/mcp/faces';
import { Unchecked } from '@/panels/arrival/Points';
import { useWords } from '@/words';

/** How many findings the audit has, and on a click what they are. */
export function AuditButton({ revision, onServer }: { revision: string; onServer: (name: string) => void }) {
  const { t } = useWords();
  const { data, error } = useAudit(revision);
  const [open, setOpen] = useState(false);
  if (!data && !error) return null;
  const count = data?.findings.length ?? 0;
  const clean = data?.ok ?? false;
  const Sign = clean ? ShieldCheck : ShieldAlert;
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger
        className={clsx(
          'inline-flex h-7 items-center gap-1.5 rounded-lg px-2 text-tiny font-medium whitespace-nowrap transition-colors',
          clean ? 'text-ink-soft hover:bg-sunken dark:hover:bg-raised' : 'bg-warn-soft text-warn hover:brightness-95',
        )}
      >
        <Sign aria-hidden="true" className="size-3.5" />
        {error ? t('audit.failed') : clean ? t('audit.clean') : t('audit.count', { count })}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-[fade_120ms_ease-out] bg-black/40 backdrop-blur-[1px]" />
        <Dialog.Content className="fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100vh-2rem)] w-[min(42rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 animate-[rise_160ms_ease-out] flex-col rounded-2xl border border-line bg-surface p-6 shadow-pop dark:bg-raised">
          <Dialog.Title className="text-title font-semibold">{t('audit.title')}</Dialog.Title>
          <Dialog.Description className="mt-0.5 text-ink-soft">{t('audit.text')}</Dialog.Description>
          <div className="mt-4 -mr-3 min-h-0 space-y-5 overflow-y-auto pr-3 pb-5">
            {error && (
              <Notice tone="bad" kind={t(`failure.${error.code}`)} hint={error.hint}>
                {error.message}
              </Notice>
            )}
            {data && (
              <Items
                audit={data}
                onServer={(name) => {
                  setOpen(false);
                  onServer(name);
                }}
              />
            )}
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

function Items({ audit, onServer }: { audit: Audit; onServer: (name: string) => void }) {
  const { t } = useWords();
  const groups = [
    { title: t('audit.findings'), items: audit.findings },
    { title: t('audit.notes'), items: audit.notes },
  ].filter((group) => group.items.length > 0);
  return (
    <>
      {audit.ok && (
        <Notice tone="good" kind={t('audit.clean')}>
          {t('audit.cleanText')}
        </Notice>
      )}
      {groups.map(({ title, items }) => (
        <section key={title} aria-label={title}>
          <h3 className="mb-1.5 text-small font-semibold text-ink-soft">{title}</h3>
          <ul className="space-y-2">
            {items.map((item, index) => (
              <li key={index}>
                <Item item={item} path={audit.config.path} onServer={onServer} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      <Unchecked items={audit.unchecked} />
    </>
  );
}

const tones = { error: 'bad', warning: 'warn', note: 'info' } as const;

function Item({ item, path, onServer }: { item: AuditItem; path: string; onServer: (name: string) => void }) {
  const { t, fact } = useWords();
  const words = fact(item);
  return (
    <Notice
      tone={tones[item.level as keyof typeof tones] ?? 'warn'}
      kind={item.server || t('arrival.file')}
      place={item.line > 0 || item.file ? placeOf(item.file || path, item.line, item.column) : ''}
      hint={words.hint}
      actions={
        item.server && (
          <Button small aria-label={t('audit.showServer', { server: item.server })} onClick={() => onServer(item.server)}>
            {t('audit.show')}
          </Button>
        )
      }
    >
      {words.message}
    </Notice>
  );
}
