import { AssistantRuntimeProvider, ThreadPrimitive, useExternalStoreRuntime, type ThreadMessageLike } from '@assistant-ui/react';
import { ArrowDown, MessagesSquare } from 'lucide-react';
import { useEffect, useMemo, useRef, type ReactNode } from 'react';
import { reloadCommand } from '@/app/reload';
import { useServices } from '@/app/services';
import { Empty, Notice } from '@/components';
import { useWords } from '@/words';
import { Composer } from './Composer';
import { keepTurns, turns, type Turn } from './events';
import { AssistantMessage, SessionContext, UserMessage } from './Messages';
import type { ChatState, ChatStore } from './store';

const components = { UserMessage, AssistantMessage };

// The thread's own parts hold the text; what is drawn comes from the turn itself.
function toMessage(turn: Turn): ThreadMessageLike {
  const text = turn.role === 'user' ? turn.text : turn.items.map((item) => (item.kind === 'text' ? item.text : '')).join('\n');
  return { id: turn.id, role: turn.role, content: text, metadata: { custom: { turn } } };
}

interface ThreadProps {
  chat: ChatStore;
  state: ChatState;
  /** Shown above the field. */
  notices: ReactNode;
  /** What may be asked, where nothing was yet. */
  suggestions: readonly string[];
  blocked: boolean;
  /** Whether the field takes the focus when it comes. */
  focus: boolean;
}

/** One conversation: its messages, and the field to write in. */
export function Thread({ chat, state, notices, suggestions, blocked, focus }: ThreadProps) {
  const { t } = useWords();
  const { reloads } = useServices();
  const { shown, session } = state;
  const drawn = useRef<readonly Turn[]>([]);
  const messages = useMemo(() => keepTurns(drawn.current, turns(shown.items)), [shown.items]);
  useEffect(() => {
    drawn.current = messages;
  }, [messages]);
  const runtime = useExternalStoreRuntime<Turn>({
    messages,
    convertMessage: toMessage,
    isRunning: shown.running,
    isSendDisabled: shown.running || blocked,
    onNew: async (message) => {
      const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      // A command to this program, which no model is asked about.
      if (text.trim() === reloadCommand) await reloads.run();
      else if (text.trim() !== '') await chat.send(text);
    },
    onCancel: () => chat.stop(),
  });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <SessionContext.Provider value={session}>
        <ThreadPrimitive.Root className="flex min-h-0 flex-1 flex-col">
          <ThreadPrimitive.Viewport
            role="region"
            aria-label={t('chat.thread')}
            tabIndex={0}
            className="relative min-h-0 flex-1 overflow-y-auto focus-visible:-outline-offset-2"
          >
            <div className="mx-auto flex min-h-full max-w-3xl flex-col px-6 py-6">
              {shown.problem && (
                <Notice live tone="bad" kind={t(`failure.${shown.problem.code}`)} hint={shown.problem.hint}>
                  {shown.problem.message}
                </Notice>
              )}
              {messages.length === 0 && !shown.loading && !shown.problem && <Welcome chat={chat} suggestions={suggestions} blocked={blocked} />}
              {shown.loading && messages.length === 0 && <p className="text-ink-soft">{t('loading')}</p>}
              <div className="space-y-6">
                <ThreadPrimitive.Messages components={components} />
              </div>
              <p role="status" className="mt-4 min-h-6 text-small text-ink-faint">
                {shown.running && (
                  <span className="inline-flex items-center gap-2">
                    <span aria-hidden="true" className="size-1.5 animate-[blink_900ms_ease-in-out_infinite] rounded-full bg-accent" />
                    {shown.stopping ? t('chat.stopping') : t('chat.working')}
                  </span>
                )}
              </p>
            </div>
            <ThreadPrimitive.ScrollToBottom
              aria-label={t('chat.toEnd')}
              title={t('chat.toEnd')}
              className="sticky bottom-3 left-1/2 flex size-8 -translate-x-1/2 items-center justify-center rounded-full border border-line bg-surface shadow-card disabled:hidden dark:bg-raised"
            >
              <ArrowDown aria-hidden="true" className="size-4" />
            </ThreadPrimitive.ScrollToBottom>
          </ThreadPrimitive.Viewport>
          <div className="mx-auto w-full max-w-3xl space-y-2 px-6 pb-4">
            {notices}
            <Composer chat={chat} state={state} disabled={blocked} focus={focus} />
          </div>
        </ThreadPrimitive.Root>
      </SessionContext.Provider>
    </AssistantRuntimeProvider>
  );
}

function Welcome({ chat, suggestions, blocked }: { chat: ChatStore; suggestions: readonly string[]; blocked: boolean }) {
  const { t } = useWords();
  return (
    <div className="my-auto">
      <Empty
        icon={<MessagesSquare />}
        title={t('chat.emptyTitle')}
        actions={suggestions.map((text) => (
          <button
            key={text}
            type="button"
            disabled={blocked}
            onClick={() => void chat.send(text)}
            className="rounded-full border border-line bg-surface px-4 py-2 text-body shadow-card transition-colors hover:border-accent dark:bg-raised"
          >
            {text}
          </button>
        ))}
      >
        {t('chat.emptyText')}
      </Empty>
    </div>
  );
}
