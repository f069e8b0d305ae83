// How a browser gets this run's token: from the one-use ticket in the address,
// from this tab's memory after a reload, or for a password.

const remembered = 'hermes.token';

export type Entry = { state: 'in'; token: string } | { state: 'password' } | { state: 'out'; used: boolean };

/** Exchanges the ticket of the address, or says what is needed instead. */
export async function enter(place: Location, memory: Storage, get: typeof fetch): Promise<Entry> {
  const ticket = new URLSearchParams(place.hash.slice(1)).get('ticket');
  if (ticket !== null) {
    // The ticket must not stay in the history, in a bookmark or in a copied address.
    window.history.replaceState(null, '', place.pathname + place.search);
    const token = await exchange({ ticket }, get);
    if (token !== null) {
      memory.setItem(remembered, token);
      return { state: 'in', token };
    }
  }
  const token = memory.getItem(remembered);
  if (token !== null) return { state: 'in', token };
  const answer = await get('/api/session', { cache: 'no-store' }).catch(() => null);
  const needs = (await answer?.json().catch(() => null)) as { needs?: string } | null | undefined;
  return needs?.needs === 'password' ? { state: 'password' } : { state: 'out', used: ticket !== null };
}

/** Tries a password; null means that it is wrong. */
export async function enterWithPassword(password: string, memory: Storage, get: typeof fetch): Promise<Entry | null> {
  const token = await exchange({ password }, get);
  if (token === null) return null;
  memory.setItem(remembered, token);
  return { state: 'in', token };
}

/** Forgets a token that is no longer good. */
export function forget(memory: Storage): void {
  memory.removeItem(remembered);
}

async function exchange(what: object, get: typeof fetch): Promise<string | null> {
  const answer = await get('/api/session', {
    method: 'POST',
    cache: 'no-store',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(what),
  }).catch(() => null);
  if (!answer?.ok) return null;
  const body = (await answer.json().catch(() => null)) as { token?: unknown } | null;
  return typeof body?.token === 'string' ? body.token : null;
}
