import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Download, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useServices } from '@/app/services';
import { toCallError, type CallError } from '@/bridge';
import { Confirm, IconButton, Notice } from '@/components';
import { useWords } from '@/words';

interface ToolsProps {
  session: string;
  title: string;
  /** A turn of it runs, so that it cannot be deleted. */
  running: boolean;
  onFailure: (error: CallError | null) => void;
}

/** What can be done with a stored conversation as a whole: save it as a file, delete it. */
export function SessionTools({ session, title, running, onFailure }: ToolsProps) {
  const { t } = useWords();
  const { transport, chat } = useServices();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const settle = { networkMode: 'always' as const, onMutate: () => onFailure(null), onError: onFailure };
  const save = useMutation<void, CallError>({
    ...settle,
    mutationFn: async () => {
      // The window shows the desktop's own dialog: a download has no place to go there.
      if (transport.kind === 'window') {
        await transport.call('SaveSession', session).catch(rethrow);
        return;
      }
      const text = await transport.call('SessionFile', session).catch(rethrow);
      download(`hermes-${session}.json`, text);
    },
  });
  const forget = useMutation<void, CallError>({
    ...settle,
    mutationFn: async () => {
      await transport.call('ForgetSession', session).catch(rethrow);
    },
    onSuccess: async () => {
      chat.forgetSession(session);
      await Promise.all(['sessions', 'past', 'grants'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
      document.getElementById('main')?.focus();
    },
  });
  return (
    <>
      <IconButton label={t('stored.export')} disabled={save.isPending} onClick={() => save.mutate()}>
        <Download aria-hidden="true" />
      </IconButton>
      <IconButton label={t('stored.delete')} disabled={running || forget.isPending} onClick={() => setAsking(true)}>
        <Trash2 aria-hidden="true" />
      </IconButton>
      <Confirm
        open={asking}
        danger
        title={t('stored.deleteTitle', { title })}
        confirm={t('stored.deleteConfirm')}
        cancel={t('cancel')}
        onConfirm={() => {
          setAsking(false);
          forget.mutate();
        }}
        onClose={() => setAsking(false)}
      >
        <p>{t('stored.deleteText')}</p>
      </Confirm>
    </>
  );
}

/** Why a conversation was not saved or deleted. */
export function SessionFailure({ error, onClose }: { error: CallError | null; onClose: () => void }) {
  const { t } = useWords();
  if (!error) return null;
  return (
    <Notice live tone="bad" kind={t(`failure.${error.code}`)} hint={error.hint} close={{ label: t('close'), run: onClose }}>
      {error.message}
    </Notice>
  );
}

function rethrow(err: unknown): never {
  throw toCallError(err);
}

// The text is the page's own by now: nothing is fetched.
function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
