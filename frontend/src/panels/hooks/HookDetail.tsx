import { useMutation, useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { useId, useState } from 'react';
import { useServices } from '@/app/services';
import { toCallError, type CallError, type HookChange, type HookContent, type HookLook, type HookPick } from '@/bridge';
import { Button, Foreign, Notice } from '@/components';
import { useWords } from '@/words';
import { useHooksAgain } from './hooks';

/** One hook with what its files hold, and the field in which a person says that it may run. */
export function HookDetail({ pick, onBack }: { pick: HookPick; onBack: () => void }) {
  const { t, sayAll } = useWords();
  const { transport } = useServices();
  const [failure, setFailure] = useState<CallError | null>(null);
  // What was read once is what is trusted: another look replaces the text and empties the field.
  const { data, error, refetch } = useQuery<HookLook, CallError>({
    queryKey: ['hook', pick.event, pick.matcher, pick.command],
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    queryFn: () => transport.call('HookLook', pick),
  });
  return (
    <>
      <Button autoFocus small icon={<ArrowLeft />} onClick={onBack}>
        {t('hooks.back')}
      </Button>
      {error && (
        <Notice live tone="bad" kind={t(`failure.${error.code}`)} hint={error.hint}>
          {error.message}
        </Notice>
      )}
      {data && (
        <>
          <p className="font-mono text-small font-medium [overflow-wrap:anywhere]">
            <Foreign text={data.hook.command} />
          </p>
          {data.hook.state !== 'trusted' && <p className="text-small text-warn">{sayAll(data.hook.said ?? [], data.hook.reason)}</p>}
          {data.hook.note && (
            <p lang="en" className="text-small text-warn">
              <Foreign text={data.hook.note} />
            </p>
          )}
          <Contents all={data.contents} />
          {data.hook.state !== 'unusable' && (
            <Trust
              key={data.contents.map((one) => one.sha256).join()}
              look={data}
              pick={pick}
              onFailure={(err) => {
                setFailure(err);
                if (err) void refetch();
              }}
            />
          )}
          {failure && (
            <Notice live tone={failure.code === 'conflict' ? 'warn' : 'bad'} kind={t(failure.code === 'conflict' ? 'hooks.changed' : `failure.${failure.code}`)} hint={failure.code === 'conflict' ? undefined : failure.hint}>
              {failure.code === 'conflict' ? t('hooks.stale') : failure.message}
            </Notice>
          )}
        </>
      )}
      {!data && !error && <p className="text-ink-soft">{t('loading')}</p>}
    </>
  );
}

function Contents({ all }: { all: readonly HookContent[] }) {
  const { t } = useWords();
  if (all.length === 0) return null;
  return (
    <section aria-label={t('hooks.files')} className="space-y-3">
      <h3 className="text-small font-semibold text-ink-soft">{t('hooks.files')}</h3>
      {all.map((one) => (
        <figure key={one.path}>
          <figcaption className="mb-1 space-y-0.5 font-mono text-tiny [overflow-wrap:anywhere]">
            <span className="block font-medium">
              <Foreign text={one.path} />
            </span>
            <span className="block text-ink-faint">sha256 {one.sha256}</span>
          </figcaption>
          {one.text === '' ? (
            <p className="text-tiny text-ink-soft">{t('hooks.binary')}</p>
          ) : (
            <pre
              tabIndex={0}
              aria-label={t('hooks.file', { path: one.path })}
              className="max-h-64 overflow-auto rounded-lg bg-sunken px-3 py-2 font-mono text-tiny leading-5 break-words whitespace-pre-wrap"
            >
              <Foreign text={one.text} />
            </pre>
          )}
          {one.cut && <p className="mt-1 text-tiny text-warn">{t('hooks.cut')}</p>}
        </figure>
      ))}
      <p className="text-tiny text-ink-faint">{t('hooks.masked')}</p>
    </section>
  );
}

function Trust({ look, pick, onFailure }: { look: HookLook; pick: HookPick; onFailure: (error: CallError | null) => void }) {
  const { t } = useWords();
  const { transport } = useServices();
  const again = useHooksAgain();
  const [typed, setTyped] = useState('');
  const field = useId();
  const trust = useMutation<HookChange, CallError>({
    networkMode: 'always',
    mutationFn: async () => {
      try {
        const files = look.contents.map(({ path, sha256 }) => ({ path, sha256 }));
        return await transport.call('TrustSeen', { pick, files, typed });
      } catch (err) {
        throw toCallError(err);
      }
    },
    onMutate: () => onFailure(null),
    onSuccess: again,
    onError: onFailure,
  });
  if (look.hook.state === 'trusted' || trust.data) {
    return (
      <Notice live={trust.data !== undefined} tone="good" kind={t('hooks.trusted')}>
        {t('hooks.trustedNow')}
      </Notice>
    );
  }
  return (
    <form
      className="space-y-2 rounded-xl border border-line p-4"
      onSubmit={(event) => {
        event.preventDefault();
        trust.mutate();
      }}
    >
      <label htmlFor={field} className="block text-small">
        {t('hooks.type', { name: look.name })}
      </label>
      <div className="flex flex-wrap gap-2">
        <input
          id={field}
          aria-label={t('hooks.typeField')}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTyped(event.target.value)}
          className="min-w-0 flex-1 basis-48 rounded-lg border border-line bg-page px-3 py-1.5 font-mono text-small"
        />
        <Button look="primary" type="submit" disabled={typed.trim() !== look.name || trust.isPending}>
          {t('hooks.trust')}
        </Button>
      </div>
    </form>
  );
}
