import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { UserCheck } from 'lucide-react';
import { useSessions } from '@/app/queries';
import { useServices } from '@/app/services';
import { toCallError, type CallError, type Grant, type Grants as Given } from '@/bridge';
import { Badge, Button, Foreign, plain } from '@/components';
import { reasonOf } from '@/panels/questions/calls';
import { useWords } from '@/words';
import { momentOf } from './session';

/** What a person said yes to for more than one call of this server, to be taken back. */
export function Grants({ server }: { server: string }) {
  const { t } = useWords();
  const { transport } = useServices();
  const { data } = useQuery<Given, CallError>({ queryKey: ['grants'], queryFn: () => transport.call('Grants') });
  const revoke = useRevoke();
  const given = data?.grants.filter((one) => one.server === server) ?? [];
  if (given.length === 0) return null;
  return (
    <section aria-label={t('grants.title')} className="overflow-hidden rounded-xl border border-line bg-surface text-small">
      <h3 className="flex items-center gap-2 px-4 py-2.5 text-body font-medium">
        <UserCheck aria-hidden="true" className="size-4 text-ink-faint" />
        {t('grants.title')}
      </h3>
      <p className="px-4 pb-2 text-ink-soft">{t('grants.text')}</p>
      {revoke.error && (
        <p role="alert" className="px-4 pb-2 text-bad">
          {plain(revoke.error.message)}
        </p>
      )}
      <ul className="divide-y divide-line border-t border-line">
        {given.map((grant) => (
          <li key={grant.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
            <Row grant={grant} />
            <Button small disabled={revoke.isPending} aria-label={t('grants.revokeOne', { tool: plain(grant.tool) })} onClick={() => revoke.mutate(grant.id)}>
              {t('grants.revoke')}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Row({ grant }: { grant: Grant }) {
  const { t, language, sayAll } = useWords();
  const { data: sessions = [] } = useSessions();
  const title = sessions.find((row) => row.session === grant.session)?.title || grant.session;
  const why = grant.why.map((code) => reasonOf({ code, text: '' }).code).filter((code) => code !== '');
  return (
    <div className="min-w-0 flex-1 basis-64">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-mono font-medium break-all">
          <Foreign text={grant.tool} />
        </span>
        <Badge>{t(`scope.${grant.scope}`)}</Badge>
        {grant.void && <Badge tone="warn">{t('grants.void')}</Badge>}
      </p>
      <p className="text-tiny text-ink-soft">
        {t('grants.given', { time: momentOf(grant.given, language) })}
        {grant.scope === 'session' && (
          <>
            {' · '}
            <Foreign text={title} />
          </>
        )}
        {why.length > 0 && ` · ${why.map((code) => t(`asked.${code}`)).join(', ')}`}
      </p>
      {grant.void && (
        <p className="text-tiny text-warn">
          <Foreign text={sayAll(grant.said ?? [], grant.void)} lang={grant.said?.length ? undefined : 'en'} />
        </p>
      )}
    </div>
  );
}

function useRevoke() {
  const { transport } = useServices();
  const queries = useQueryClient();
  return useMutation<void, CallError, number>({
    networkMode: 'always',
    mutationFn: async (id) => {
      try {
        queries.setQueryData(['grants'], await transport.call('RevokeGrant', [id]));
      } catch (err) {
        throw toCallError(err);
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['grants'] }),
  });
}
