import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { toCallError, type Arrival, type Audit, type CallError, type Catalog, type Changes, type Connection, type InstallPlan, type Overview, type ServerDetail, type ServerList, type SessionRow, type Why } from '@/bridge';
import { useVisible } from './clock';
import { fresh } from './revisions';
import { useServices } from './services';

export function useOverview() {
  const { transport } = useServices();
  return useQuery<Overview, CallError>({ queryKey: ['overview'], queryFn: () => transport.call('Overview') });
}

/** What is different for a home that comes from Hermes Agent. */
export function useArrival() {
  const { transport } = useServices();
  return useQuery<Arrival, CallError>({ queryKey: ['arrival'], queryFn: () => transport.call('Arrival') });
}

/** What a person should look at, anew for each revision of the file once no edit is on its way. */
export function useAudit(revision: string) {
  const { transport } = useServices();
  const { state } = useEdits();
  return useQuery<Audit, CallError>({
    queryKey: ['audit', revision],
    enabled: revision !== '' && state.pending.size === 0,
    placeholderData: keepPreviousData,
    queryFn: () => transport.call('Findings'),
  });
}

/** The servers that can be installed by name, as they are when somebody looks. */
export function useCatalog() {
  const { transport } = useServices();
  return useQuery<Catalog, CallError>({ queryKey: ['catalog'], staleTime: 0, queryFn: () => transport.call('Catalog') });
}

/** What an install would do, before any value is typed. */
export function useInstallPlan(name: string) {
  const { transport } = useServices();
  return useQuery<InstallPlan, CallError>({
    queryKey: ['plan', name],
    staleTime: 0,
    queryFn: () => transport.call('InstallPlan', { name, values: {}, existing: [], confirmed: false, skip_integrity: false, revision: '' }),
  });
}

export function useServerList() {
  const { transport, revisions } = useServices();
  return useQuery<ServerList, CallError>({
    queryKey: ['servers'],
    queryFn: () => fresh(revisions, () => transport.call('Servers'), (list) => list.config.revision),
  });
}

export function useServerDetail(name: string | null) {
  const { transport, revisions } = useServices();
  return useQuery<ServerDetail, CallError>({
    queryKey: ['server', name],
    enabled: name !== null,
    queryFn: () => fresh(revisions, () => transport.call('Server', name ?? ''), (detail) => detail.revision),
  });
}

/** How often the processes of a server are measured while somebody looks, in milliseconds. */
const measured = 2000;

/** A server's session with its memory and CPU, measured while it is wanted and the page can be seen. */
export function useMeasure(name: string, wanted: boolean) {
  const { transport } = useServices();
  const visible = useVisible();
  return useQuery<Connection, CallError>({
    queryKey: ['measure', name],
    enabled: wanted && visible,
    staleTime: 0,
    gcTime: 0,
    refetchInterval: measured,
    queryFn: () => transport.call('Measure', name),
  });
}

/** The tools whose definition changed, asked for where there are any. */
export function useChanges(wanted: boolean) {
  const { transport } = useServices();
  return useQuery<Changes, CallError>({ queryKey: ['changes'], enabled: wanted, queryFn: () => transport.call('Changes') });
}

/** What a call of one tool would meet now, as it is when somebody looks. */
export function useWhy(server: string, tool: string) {
  const { transport } = useServices();
  return useQuery<Why, CallError>({ queryKey: ['why', server, tool], staleTime: 0, queryFn: () => transport.call('Why', server, tool) });
}

/** Accepts definitions as they were shown. */
export function useAccept() {
  const { transport } = useServices();
  const queries = useQueryClient();
  return useMutation<void, CallError, { server: string; tools: string[]; now: Record<string, string> }>({
    networkMode: 'always',
    mutationFn: async (wish) => {
      await transport.call('AcceptChanges', wish).catch(rethrow);
    },
    onSettled: async () => {
      await Promise.all(['changes', 'server', 'servers', 'audit'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
    },
  });
}

/** Tries a server at once that failed, is parked or waits for a sign-in. */
export function useRetry(name: string) {
  const { transport } = useServices();
  return useMutation<void, CallError>({
    networkMode: 'always',
    mutationFn: async () => {
      await transport.call('Retry', name).catch(rethrow);
    },
  });
}

export function useSessions() {
  const { transport } = useServices();
  return useQuery<SessionRow[], CallError>({ queryKey: ['sessions'], queryFn: () => transport.call('Sessions') });
}

/** Lets the servers start: the click after the first look. */
export function useStart() {
  const { transport } = useServices();
  const queries = useQueryClient();
  return useMutation<void, CallError>({
    networkMode: 'always',
    mutationFn: async () => {
      await transport.call('Start').catch(rethrow);
    },
    onSettled: () => queries.invalidateQueries(),
  });
}

/** Leaves the embedded default for the person's own home. */
export function useOwnHome() {
  const { transport, chat } = useServices();
  const queries = useQueryClient();
  return useMutation<void, CallError>({
    networkMode: 'always',
    mutationFn: async () => {
      await transport.call('UseHome').catch(rethrow);
    },
    onSuccess: () => chat.show(null),
    onSettled: () => queries.invalidateQueries(),
  });
}

/** Connects to one server for a look at its tools, also to a locked one. */
export function useLook(name: string) {
  const { transport } = useServices();
  const queries = useQueryClient();
  return useMutation<void, CallError>({
    networkMode: 'always',
    mutationFn: async () => {
      await transport.call('Look', name).catch(rethrow);
    },
    onSettled: async () => {
      await Promise.all([queries.invalidateQueries({ queryKey: ['server', name] }), queries.invalidateQueries({ queryKey: ['servers'] })]);
    },
  });
}

function rethrow(err: unknown): never {
  throw toCallError(err);
}

/** What is painted over the program's last answer. */
export function useEdits() {
  const { edits } = useServices();
  const state = useSyncExternalStore(edits.subscribe, edits.get);
  return { edits, state };
}
