import { ListChecks } from 'lucide-react';
import { useState } from 'react';
import { isWriting } from '@/app/edits';
import { useEdits } from '@/app/queries';
import type { ServerDetail } from '@/bridge';
import { Button, Confirm, Foreign } from '@/components';
import { isToolEnabled, type PolicyServer, type Preview } from '@/policy';
import { useWords } from '@/words';
import { Effect } from './Effect';

/** What a person is asked about: exactly this, as seen at this revision, is what gets written. */
interface Wish {
  tools: string[];
  revision: string;
  preview: Preview;
}

/** Makes a whitelist of what is on now, where the rules are not that already. */
export function LockTo({ detail, rules }: { detail: ServerDetail; rules: PolicyServer | null }) {
  const { t } = useWords();
  const { edits, state } = useEdits();
  const [wish, setWish] = useState<Wish | null>(null);
  const [asking, setAsking] = useState(false);
  const { server, revision } = detail;
  const wished = wishOf(detail, rules);
  // Of a held server the ways out are offered instead.
  if ((!wished || server.tools.held) && !asking) return null;
  const tools = wish?.tools ?? [];
  return (
    <>
      <Button
        small
        icon={<ListChecks />}
        disabled={!wished || isWriting(state, server.name)}
        onClick={() => {
          if (!wished) return;
          setWish({ ...wished, revision });
          setAsking(true);
        }}
      >
        {t('lockTo.button')}
      </Button>
      <Confirm
        open={asking}
        blocked={wish?.preview.outcome === 'refused'}
        title={t('lockTo.title', { server: server.name, count: tools.length })}
        confirm={t('lockTo.confirm')}
        cancel={t('cancel')}
        onClose={() => setAsking(false)}
        onConfirm={() => wish && void edits.lockTo(server.name, wish.tools, wish.revision)}
      >
        <p>{t('lockTo.text')}</p>
        <Effect server={server} preview={wish?.preview ?? null} />
        <ul aria-label={t('lockTo.tools')} tabIndex={0} className="max-h-40 space-y-0.5 overflow-y-auto rounded-xl border border-line px-3.5 py-2 font-mono text-tiny leading-5 text-ink">
          {tools.map((tool) => (
            <li key={tool} className="break-all">
              <Foreign text={tool} />
            </li>
          ))}
        </ul>
      </Confirm>
    </>
  );
}

/** The tools that are on, seen or not, and what a whitelist of them would do; null where it would do nothing. */
function wishOf(detail: ServerDetail, rules: PolicyServer | null): Omit<Wish, 'revision'> | null {
  if (!rules) return null;
  const tools = detail.tools.filter((tool) => isToolEnabled(rules, tool.name)).map((tool) => tool.name);
  if (tools.length === 0) return null;
  const preview = rules.preview({ action: 'only', tools });
  return preview.outcome === 'unchanged' ? null : { tools, preview };
}
