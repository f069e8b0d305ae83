import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';
import type { Link, Transport } from '@/bridge';
import { Edits } from './edits';
import type { PolicyState } from './policy';
import { Reloads } from './reload';
import { Revisions } from './revisions';
import { ChatStore } from '@/panels/chat/store';

/** What the parts of the page share; there is one of each. */
export interface Services {
  transport: Transport;
  queries: QueryClient;
  revisions: Revisions;
  edits: Edits;
  chat: ChatStore;
  reloads: Reloads;
}

/** What is said about the file, its rules and its servers together, asked anew only where it is shown. */
const reviewed: readonly string[] = ['audit', 'arrival'];

/** How long further words are waited for, in milliseconds. */
const gathered = 150;

/** Runs once for all calls that come within a short time of the first. */
function coalesce(run: () => void): () => void {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      run();
    }, gathered);
  };
}

/** Builds the services over a transport and keeps the answers in step with its signals. */
export function createServices(transport: Transport): Services {
  const queries = new QueryClient({
    defaultOptions: {
      // The program tells when to look again; nothing is asked on a clock.
      queries: { staleTime: Infinity, gcTime: 5 * 60_000, retry: false, refetchOnWindowFocus: false, refetchOnReconnect: false, networkMode: 'always' },
    },
  });
  const revisions = new Revisions();
  // The ledger, the pins and the servers' lives are no part of the file's revision: what is
  // said about them is old with every word of the program. One look for many words.
  const review = coalesce(() => {
    for (const key of reviewed) void queries.invalidateQueries({ queryKey: [key] });
  });
  const servers = async () => {
    review();
    await Promise.all([queries.invalidateQueries({ queryKey: ['servers'] }), queries.invalidateQueries({ queryKey: ['server'] }), queries.invalidateQueries({ queryKey: ['changes'] })]);
  };
  const edits = new Edits(transport, (revision) => {
    if (revision !== '') revisions.learn(revision);
    return servers();
  });
  const chat = new ChatStore(transport, () => void queries.invalidateQueries({ queryKey: ['sessions'] }));
  const reloads = new Reloads(transport, () => {
    void servers();
    void queries.invalidateQueries({ queryKey: ['overview'] });
  });
  transport.onSignal((signal) => {
    if (signal.revision) revisions.learn(signal.revision);
    switch (signal.topic) {
      case 'chat':
        if (signal.chat) chat.hear(signal.chat);
        return;
      case 'questions':
        void queries.invalidateQueries({ queryKey: ['questions'] });
        // Another face may have said yes for longer.
        void queries.invalidateQueries({ queryKey: ['grants'] });
        return;
      case 'overview':
        void queries.invalidateQueries();
        return;
      default:
        if (signal.topic === 'config') {
          edits.outdate(signal.revision ?? '');
          reloads.outdate(signal.revision ?? '');
        }
        void servers();
        void queries.invalidateQueries({ queryKey: ['overview'] });
    }
  });
  let first = true;
  transport.onLink((link) => {
    if (link !== 'live') return;
    // What was told while nobody heard it is lost: everything is asked anew.
    if (!first) chat.resync();
    first = false;
    void queries.invalidateQueries();
  });
  return { transport, queries, revisions, edits, chat, reloads };
}

const ServicesContext = createContext<Services | null>(null);
const PolicyContext = createContext<PolicyState>({ state: 'loading' });

export function ServicesProvider({ services, policy, children }: { services: Services; policy: PolicyState; children: ReactNode }) {
  return (
    <ServicesContext.Provider value={services}>
      <PolicyContext.Provider value={policy}>
        <QueryClientProvider client={services.queries}>{children}</QueryClientProvider>
      </PolicyContext.Provider>
    </ServicesContext.Provider>
  );
}

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (!services) throw new Error('a part of the page stands outside of its services');
  return services;
}

export function usePolicy(): PolicyState {
  return useContext(PolicyContext);
}

/** How the link to the program is now. */
export function useLink(): Link | 'starting' {
  const { transport } = useServices();
  const [link, setLink] = useState<Link | 'starting'>('starting');
  useEffect(
    () => transport.onLink((now) => setLink((was) => (was === 'starting' && now === 'lost' ? was : now))),
    [transport],
  );
  return link;
}
