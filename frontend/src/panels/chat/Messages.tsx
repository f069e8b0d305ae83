import { MessagePrimitive, useAuiState } from '@assistant-ui/react';
import { Info, TriangleAlert } from 'lucide-react';
import { createContext, useContext, useDeferredValue } from 'react';
import { Foreign } from '@/components';
import { useWords } from '@/words';
import type { CallItem, Item, Turn } from './events';
import { ModelText } from './Markdown';
import { ToolCall } from './ToolCall';
import { useUsageWords } from './usage';

/** The session whose messages are shown, for the addresses of large results. */
export const SessionContext = createContext<string | null>(null);

function useTurn(): Turn | undefined {
  return useAuiState((s) => s.message.metadata.custom['turn'] as Turn | undefined);
}

/** What the person wrote. */
export function UserMessage() {
  const { t } = useWords();
  const turn = useTurn();
  return (
    <MessagePrimitive.Root className="flex justify-end" aria-label={t('chat.you')} role="article">
      <p className="max-w-[80%] rounded-2xl rounded-br-md bg-accent-soft px-4 py-2.5 break-words whitespace-pre-wrap">
        {turn?.role === 'user' ? turn.text : ''}
      </p>
    </MessagePrimitive.Root>
  );
}

type Block = { kind: 'calls'; calls: CallItem[] } | { kind: 'item'; item: Exclude<Item, CallItem> };

/** Calls that follow one another stand in one frame. */
function blocksOf(items: readonly Item[]): Block[] {
  const blocks: Block[] = [];
  for (const item of items) {
    const last = blocks.at(-1);
    if (item.kind !== 'call') blocks.push({ kind: 'item', item });
    else if (last?.kind === 'calls') last.calls.push(item);
    else blocks.push({ kind: 'calls', calls: [item] });
  }
  return blocks;
}

/** All that followed: text, calls with their results, notices, the counts at the end. */
export function AssistantMessage() {
  const { t } = useWords();
  const turn = useTurn();
  const session = useContext(SessionContext);
  if (turn?.role !== 'assistant') return null;
  return (
    <MessagePrimitive.Root className="space-y-3" aria-label={t('chat.hermes')} role="article">
      {blocksOf(turn.items).map((block, index) =>
        block.kind === 'calls' ? (
          <div key={index} className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-surface">
            {block.calls.length > 1 && <p className="numbers px-3.5 py-1.5 text-tiny text-ink-faint">{t('chat.calls', { count: block.calls.length })}</p>}
            {block.calls.map((call) => (
              <ToolCall key={call.id} call={call} session={session} />
            ))}
          </div>
        ) : (
          <ItemView key={index} item={block.item} />
        ),
      )}
    </MessagePrimitive.Root>
  );
}

function ItemView({ item }: { item: Exclude<Item, CallItem> }) {
  const { t, sayAll } = useWords();
  const usage = useUsageWords();
  switch (item.kind) {
    case 'user':
      return <p>{item.text}</p>;
    case 'text':
      return (
        <div data-provisional={item.provisional || undefined} className={item.provisional ? 'text-ink-soft' : undefined}>
          <StreamedText text={item.text} />
        </div>
      );
    case 'notice':
      return (
        <p className="flex gap-2 text-small text-ink-soft">
          <Info aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-ink-faint" />
          <span className="min-w-0 break-words whitespace-pre-line">
            <Foreign text={sayAll(item.said, item.text)} />
          </span>
        </p>
      );
    case 'error':
      return (
        <p role="alert" className="flex gap-2 rounded-xl bg-bad-soft px-3.5 py-2.5 text-small">
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-bad" />
          <span className="min-w-0 break-words">
            <strong className="font-semibold text-bad">{t('chat.error')}</strong> <Foreign text={sayAll(item.said, item.text)} />
          </span>
        </p>
      );
    case 'done': {
      const reason = ['interrupted', 'length', 'budget', 'error', 'loop'].includes(item.reason) ? t(`stop.${item.reason}`) : '';
      const counts = [
        t('chat.messages', { count: item.messages }),
        t('chat.passes', { count: item.passes }),
        t('chat.calls', { count: item.calls }),
      ];
      const took = item.usage && usage.long(item.usage);
      return (
        <p className="numbers text-tiny text-ink-faint">
          {[reason, ...counts].filter(Boolean).join(' · ')}
          {took && <span className="block">{took}</span>}
        </p>
      );
    }
  }
}

// Pieces may come faster than a long text can be set: those in between are skipped.
function StreamedText({ text }: { text: string }) {
  return <ModelText text={useDeferredValue(text)} />;
}
