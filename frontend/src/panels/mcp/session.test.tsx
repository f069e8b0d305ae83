import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { PolicyState } from '@/app/policy';
import { CallError, type Connection, type ServerDetail } from '@/bridge';
import { connectionOf, detailOf, Program, realPolicy } from '@/testing/scenario';
import { showPage } from '@/testing/render';
import { inShort, momentOf, secondsOf, spanOf } from './session';

let ready: PolicyState;

beforeAll(async () => {
  ready = { state: 'ready', policy: await realPolicy() };
});

let hidden = false;
beforeEach(() => {
  hidden = false;
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => (hidden ? 'hidden' : 'visible'));
  vi.useFakeTimers({ shouldAdvanceTime: true, now: new Date('2026-05-04T12:00:00Z') });
});
afterEach(() => void vi.useRealTimers());

const look = async (now: boolean) => {
  hidden = !now;
  await act(async () => void document.dispatchEvent(new Event('visibilitychange')));
};
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const after = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

function serverIn(status: string, reason: string, connection: Partial<Connection>): ServerDetail {
  const detail = detailOf('two names', 'demo', 'r7');
  return { ...detail, server: { ...detail.server, status, reason, connection: connectionOf(connection) } };
}
const session = () => screen.findByRole('region', { name: 'Connection' });

test('a failed server says why, how often it was tried, and counts to its next try without asking', async () => {
  const program = new Program(serverIn('failed', 'it ended with exit code 3', { since: after(-60), attempts: 2, next_try: after(12) }));
  showPage(program.transport, ready);
  const region = await session();
  expect(within(region).getByRole('status').textContent).toContain('it ended with exit code 3');
  const timer = within(region).getByRole('timer');
  expect(timer.textContent).toMatch(/next try in 1[12] s · 2 tries/);
  const asked = program.transport.asked.length;
  await pass(5000);
  expect(timer.textContent).toMatch(/next try in [567] s/);
  await pass(15_000);
  expect(timer.textContent).toContain('trying now');
  // What a screen reader is told does not change each second.
  expect(within(region).getByRole('status').textContent).not.toContain('next try');
  expect(program.transport.asked).toHaveLength(asked);
});

test('nothing counts while the page is hidden', async () => {
  const program = new Program(serverIn('failed', 'no', { next_try: after(100_000) }));
  showPage(program.transport, ready);
  await session();
  const before = vi.getTimerCount();
  await look(false);
  expect(vi.getTimerCount()).toBe(before - 1);
  await look(true);
  expect(vi.getTimerCount()).toBe(before);
});

test('memory and CPU are measured every two seconds while they can be seen, and not else', async () => {
  const program = new Program(serverIn('connected', '', { pid: 7, version: '1.2.3', protocol: '2025-06-18', latency_ms: 3.24 }));
  program.transport.answers.Measure = () => connectionOf({ pid: 7, memory_bytes: 48 << 20, cpu_percent: 1.5 });
  showPage(program.transport, ready);
  const region = await session();
  await waitFor(() => expect(region.textContent).toContain('48 MB'));
  for (const figure of ['1.2.3', '2025-06-18', '3.2 ms', '1.5%']) expect(region.textContent).toContain(figure);
  const measured = () => program.transport.calls('Measure').length;
  const first = measured();
  await pass(6500);
  expect(measured()).toBeGreaterThanOrEqual(first + 3);
  expect(measured()).toBeLessThanOrEqual(first + 4);
  await look(false);
  const then = measured();
  await pass(30_000);
  expect(measured()).toBe(then);
});

test('a server without a process is not measured', async () => {
  const program = new Program(serverIn('connected', '', { version: '1' }));
  showPage(program.transport, ready);
  await session();
  await pass(5000);
  expect(program.transport.calls('Measure')).toEqual([]);
});

test.each([
  ['parked', 'not tried again until the file changes or you ask'],
  ['needs_auth', 'hermes mcp login demo'],
])('a server that is %s can be tried again, and a refusal is said', async (status, words) => {
  const program = new Program(serverIn(status, 'why', {}));
  let refuse = false;
  program.transport.answers.Retry = () => {
    if (refuse) throw new CallError('refused', 'the servers are not started');
  };
  showPage(program.transport, ready);
  const region = await session();
  expect(region.textContent).toContain(words);
  const user = userEvent.setup({ advanceTimers: (ms) => void vi.advanceTimersByTime(ms) });
  await user.click(within(region).getByRole('button', { name: 'Try again now' }));
  expect(program.transport.calls('Retry')).toEqual([['demo']]);
  refuse = true;
  await user.click(within(region).getByRole('button', { name: 'Try again now' }));
  expect((await within(region).findByRole('alert')).textContent).toBe('the servers are not started');
});

test('a server that starts says what with and for how long', async () => {
  const program = new Program(serverIn('starting', 'starting (npx)', { since: after(-40) }));
  showPage(program.transport, ready);
  const region = await session();
  expect(within(region).getByRole('status').textContent).toContain('starting (npx)');
  expect(within(region).getByRole('timer').textContent).toMatch(/for 4[0-2] s/);
  expect(within(region).queryByRole('button')).toBeNull();
});

test('dropped lines are counted, and what another program tells is said to be its word', async () => {
  const program = new Program(serverIn('failed', 'no', { noise: 2, process: 41 }));
  showPage(program.transport, ready, 'de');
  const region = await screen.findByRole('region', { name: 'Verbindung' });
  expect(region.textContent).toContain('2 Zeilen von ihm waren keine Nachrichten');
  expect(region.textContent).toContain('Prozess 41');
  // Its servers are not ours to try.
  expect(within(region).queryByRole('button')).toBeNull();
});

test('spans and moments are those that people count in', () => {
  expect([0, 90, 91, 5400, 5401].map(spanOf)).toEqual(['0 s', '90 s', '2 min', '90 min', '2 h']);
  expect([Number.NaN, -5, 1999].map(secondsOf)).toEqual([0, 0, 1]);
  expect(momentOf('', 'en')).toBe('');
  expect(momentOf('nonsense', 'en')).toBe('');
  const noon = new Date(2026, 4, 4, 12, 0, 0);
  expect(momentOf(new Date(2026, 4, 4, 9, 5, 0).toISOString(), 'de', noon)).toBe('09:05:00');
  expect(momentOf(new Date(2026, 4, 3, 9, 5, 0).toISOString(), 'de', noon)).toBe('03.05.2026, 09:05');
});

test('a long reason is said in short, and the whole is there', async () => {
  const places = Array.from({ length: 30 }, (_, n) => `/opt/place-${n}/bin`).join(', ');
  const whole = `command "x" was not found; looked in ${places}; install it`;
  expect(inShort(whole)).toBe('command "x" was not found; install it');
  expect(inShort('short; as it is')).toBe('short; as it is');
  expect(inShort('y'.repeat(300))).toBe(`${'y'.repeat(200)}…`);
  const program = new Program(serverIn('parked', whole, {}));
  showPage(program.transport, ready);
  const region = await session();
  expect(within(region).getByRole('status').textContent).toBe('command "x" was not found; install it');
  expect(within(region).getByText('The whole reason').closest('details')?.textContent).toContain('/opt/place-29/bin');
});
