import { useState, type ReactNode } from 'react';
import type { ThemeChoice } from '@/theme/theme';
import { inWindow, type Transport } from '@/bridge';
import { App } from './App';
import { EntryPage } from './EntryPage';
import type { PolicyState } from './policy';
import { createServices, ServicesProvider } from './services';

/** What the page begins with: a way to the program, or what is needed for one. */
export type Beginning = { transport: Transport } | { needs: 'password' | 'address'; used: boolean };

/** Finds the way to the program: the window's bindings, or HTTP with this run's token. */
export async function begin(): Promise<Beginning> {
  if (inWindow()) {
    const { WindowTransport } = await import('@/bridge/window');
    return { transport: new WindowTransport() };
  }
  const { enter } = await import('@/bridge/entry');
  const entry = await enter(window.location, window.sessionStorage, window.fetch.bind(window));
  if (entry.state === 'in') return { transport: await overHttp(entry.token) };
  return entry.state === 'password' ? { needs: 'password', used: false } : { needs: 'address', used: entry.used };
}

async function overHttp(token: string): Promise<Transport> {
  const [{ HttpTransport }, { forget }] = await Promise.all([import('@/bridge/http'), import('@/bridge/entry')]);
  const transport = new HttpTransport({ token });
  // A token of another run must not be tried again after a reload.
  transport.onLink((link) => link === 'closed' && forget(window.sessionStorage));
  return transport;
}

/** The page from its beginning on. */
export function Boot({ beginning, policy, theme }: { beginning: Beginning; policy: PolicyState; theme: ThemeChoice }): ReactNode {
  const [now, setNow] = useState(beginning);
  const [services, setServices] = useState(() => ('transport' in beginning ? createServices(beginning.transport) : null));
  if (services) {
    return (
      <ServicesProvider services={services} policy={policy}>
        <App theme={theme} />
      </ServicesProvider>
    );
  }
  if ('transport' in now) return null;
  const onPassword = async (password: string): Promise<boolean> => {
    const { enterWithPassword } = await import('@/bridge/entry');
    const entry = await enterWithPassword(password, window.sessionStorage, window.fetch.bind(window));
    if (entry?.state !== 'in') return false;
    const transport = await overHttp(entry.token);
    setServices(createServices(transport));
    setNow({ transport });
    return true;
  };
  return <EntryPage used={now.used} onPassword={now.needs === 'password' ? onPassword : null} />;
}
