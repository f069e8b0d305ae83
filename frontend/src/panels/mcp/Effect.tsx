import type { Server } from '@/bridge';
import { Notice } from '@/components';
import type { Preview } from '@/policy';
import { useWords } from '@/words';
import { usePanelWords } from './words';

/** What an edit would do to a server, in the policy's words, or why it would be refused. */
export function Effect({ server, preview }: { server: Server; preview: Preview | null }) {
  const { t, say } = useWords();
  const panel = usePanelWords();
  if (!preview) return null;
  if (preview.outcome === 'refused') {
    return (
      <Notice tone="warn" kind={t('failure.refused')} hint={preview.hint}>
        {say(preview.reason)}
      </Notice>
    );
  }
  return (
    <dl className="numbers grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 rounded-xl bg-sunken px-3.5 py-2.5 text-small text-ink">
      <dt className="text-ink-faint">{t('open.now')}</dt>
      <dd>{panel(server)}</dd>
      <dt className="text-ink-faint">{t('open.then')}</dt>
      <dd className="font-medium">{say(preview.panel)}</dd>
    </dl>
  );
}
