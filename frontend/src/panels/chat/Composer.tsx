import { ComposerPrimitive, useAui, useAuiState } from '@assistant-ui/react';
import { ArrowUp, Square } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Notice } from '@/components';
import { useWords } from '@/words';
import type { ChatState, ChatStore } from './store';

/** The field to write in, with send and stop. A message that was not sent comes back into it. */
export function Composer({ chat, state, disabled, focus }: { chat: ChatStore; state: ChatState; disabled: boolean; focus: boolean }) {
  const { t } = useWords();
  const aui = useAui();
  const empty = useAuiState((s) => s.composer.text.trim() === '');
  const { running, stopping } = state.shown;
  const { unsent } = state;
  // What is written while a turn runs is not sent by itself later: by then a person may want to say something else.
  const [early, setEarly] = useState(false);
  if (early && !running) setEarly(false);
  useEffect(() => {
    if (unsent) aui.composer().setText(unsent.text);
  }, [aui, unsent]);
  return (
    <div>
      {unsent && (
        <Notice live tone="bad" kind={t('chat.unsent')} hint={unsent.error.hint} className="mb-2">
          {unsent.error.message}
        </Notice>
      )}
      <ComposerPrimitive.Root className="flex items-end gap-2 rounded-2xl border border-line bg-surface p-2 pl-4 shadow-card transition-colors focus-within:border-accent dark:bg-raised">
        <ComposerPrimitive.Input
          aria-label={t('chat.field')}
          placeholder={t('chat.placeholder')}
          rows={1}
          maxRows={8}
          autoFocus={focus}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || !running) return;
            event.preventDefault();
            setEarly(!empty);
          }}
          cancelOnEscape={false}
          addAttachmentOnPaste={false}
          className="min-h-9 flex-1 resize-none bg-transparent py-1.5 leading-6 outline-none placeholder:text-ink-faint"
        />
        {running ? (
          <button
            type="button"
            disabled={stopping}
            onClick={() => void chat.stop()}
            className="flex h-9 shrink-0 items-center gap-1.5 rounded-xl border border-line bg-page px-3 text-small font-medium hover:bg-sunken disabled:opacity-60"
          >
            <Square aria-hidden="true" className="size-3 fill-current" />
            {stopping ? t('chat.stopping') : t('chat.stop')}
          </button>
        ) : (
          <ComposerPrimitive.Send
            aria-label={t('chat.send')}
            title={t('chat.send')}
            disabled={empty || disabled}
            className="flex size-9 shrink-0 items-center justify-center rounded-xl bg-accent text-accent-ink transition-opacity hover:brightness-110 disabled:opacity-35"
          >
            <ArrowUp aria-hidden="true" className="size-4.5" />
          </ComposerPrimitive.Send>
        )}
      </ComposerPrimitive.Root>
      <p role="status" className="mt-1.5 px-4 text-tiny text-ink-faint">
        {early ? <span className="font-medium text-warn">{t('chat.early')}</span> : t('chat.keys')}
      </p>
    </div>
  );
}
