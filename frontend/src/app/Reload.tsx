import clsx from 'clsx';
import { RefreshCw } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { IconButton, Notice } from '@/components';
import { useWords } from '@/words';
import { useServerList } from './queries';
import { useServices } from './services';

function useReload() {
  const { reloads } = useServices();
  return { reloads, now: useSyncExternalStore(reloads.subscribe, reloads.get) };
}

/** Has the file read again and failed servers tried again. */
export function ReloadButton() {
  const { t } = useWords();
  const { reloads, now } = useReload();
  const busy = now.state === 'busy';
  return (
    <IconButton label={t('reload.button')} aria-disabled={busy} aria-busy={busy} onClick={() => void reloads.run()}>
      <RefreshCw aria-hidden="true" className={clsx(busy && 'animate-spin')} />
    </IconButton>
  );
}

/** Says what a reload did, until it is closed. */
export function ReloadNotice() {
  const { t } = useWords();
  const { reloads, now } = useReload();
  const { data } = useServerList();
  if (now.state === 'idle' || now.state === 'busy') return null;
  const close = { label: t('close'), run: () => reloads.close() };
  if (now.state === 'failed') {
    return (
      <Notice live tone="bad" kind={t('reload.failed')} hint={now.error.hint} close={close}>
        {now.error.message}
      </Notice>
    );
  }
  const { what } = now;
  const helped = data?.servers.some(({ tools, status }) => status === 'connected' && (tools.resources || tools.prompts));
  const said = [
    `${t('reload.servers', { count: what.servers })}, ${t('tools.count', { count: what.tools })}.`,
    helped && t('reload.helpers'),
    what.changed.length > 0 ? t('reload.changed', { servers: what.changed.join(', ') }) : t('reload.same'),
    what.retried.length > 0 && t('reload.retried', { servers: what.retried.join(', ') }),
  ];
  return (
    <Notice live tone="good" kind={t('reload.done')} close={close}>
      {said.filter(Boolean).join(' ')}
    </Notice>
  );
}
