import { expect, test } from 'vitest';
import { enter, enterWithPassword } from './entry';

function memory(): Storage {
  window.sessionStorage.clear();
  return window.sessionStorage;
}

const place = (hash: string) => ({ hash, pathname: '/', search: '' }) as Location;
const answers = (table: Record<string, { status: number; body: unknown }>) => {
  const asked: { path: string; body: string }[] = [];
  const get = (async (path: string, init?: RequestInit) => {
    const method = init?.method ?? 'GET';
    asked.push({ path, body: String(init?.body ?? '') });
    const answer = table[`${method} ${path}`];
    if (!answer) throw new TypeError('fetch failed');
    return new Response(JSON.stringify(answer.body), { status: answer.status });
  }) as typeof fetch;
  return { get, asked };
};

test('a ticket is exchanged once, remembered for a reload, and taken out of the address', async () => {
  const { get, asked } = answers({ 'POST /api/session': { status: 200, body: { token: 'T' } } });
  const kept = memory();
  window.history.replaceState(null, '', '/#ticket=abc');
  expect(await enter(place('#ticket=abc'), kept, get)).toEqual({ state: 'in', token: 'T' });
  expect(asked).toEqual([{ path: '/api/session', body: '{"ticket":"abc"}' }]);
  expect(window.location.hash).toBe('');
  expect(await enter(place(''), kept, get)).toEqual({ state: 'in', token: 'T' });
  expect(asked).toHaveLength(1);
});

test('a used ticket and no token leave one outside', async () => {
  const { get } = answers({ 'POST /api/session': { status: 401, body: {} }, 'GET /api/session': { status: 200, body: { needs: 'ticket' } } });
  expect(await enter(place('#ticket=abc'), memory(), get)).toEqual({ state: 'out', used: true });
  expect(await enter(place(''), memory(), get)).toEqual({ state: 'out', used: false });
});

test('a password is asked for where the program asks for one', async () => {
  const { get } = answers({ 'POST /api/session': { status: 401, body: {} }, 'GET /api/session': { status: 200, body: { needs: 'password' } } });
  expect(await enter(place(''), memory(), get)).toEqual({ state: 'password' });
  expect(await enterWithPassword('wrong', memory(), get)).toBeNull();
  const good = answers({ 'POST /api/session': { status: 200, body: { token: 'T' } } });
  expect(await enterWithPassword('right', memory(), good.get)).toEqual({ state: 'in', token: 'T' });
});
