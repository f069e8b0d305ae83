import { expect, test, vi } from 'vitest';
import { CallError } from './errors';
import { HttpTransport } from './http';
import { readEvents } from './stream';
import { resultPath, type Link } from './transport';
import type { Signal } from './types';

/** A stream that a test writes into. */
function pipe() {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({ start: (c) => void (controller = c) });
  const encoder = new TextEncoder();
  return {
    body,
    write: (text: string) => controller.enqueue(encoder.encode(text)),
    writeBytes: (bytes: Uint8Array) => controller.enqueue(bytes),
    end: () => controller.close(),
    cut: () => controller.error(new Error('connection reset')),
  };
}

const json = (status: number, value: unknown) => new Response(JSON.stringify(value), { status });

test('events are cut out of pieces of any size', async () => {
  const p = pipe();
  const text = new TextEncoder().encode('event: ready\ndata: {}\n\nevent: signal\ndata: {"a":"grün"}\n\n: nothing\n\ndata: x\ndata: y\n\n');
  for (const byte of text) p.writeBytes(Uint8Array.of(byte));
  p.end();
  const got = [];
  for await (const event of readEvents(p.body)) got.push(event);
  expect(got).toEqual([
    { name: 'ready', data: '{}' },
    { name: 'signal', data: '{"a":"grün"}' },
    { name: 'message', data: 'x\ny' },
  ]);
});

test('a call carries the token in a header and its arguments as JSON', async () => {
  const fetch = vi.fn(async (_path: string, _init?: RequestInit) => json(200, { events: null, session: 's' }));
  const transport = new HttpTransport({ token: 'T', fetch: fetch as unknown as typeof globalThis.fetch });
  const transcript = await transport.call('Transcript', 's');
  expect(transcript.events).toEqual([]);
  const [path, init] = fetch.mock.calls[0] ?? [];
  expect(path).toBe('/api/call/Transcript');
  expect(init).toMatchObject({ method: 'POST', body: '["s"]', credentials: 'omit', headers: { 'X-Hermes-Token': 'T', 'Content-Type': 'application/json' } });
  expect(path).not.toContain('T=');
});

test('an error keeps its code, its hint and its place', async () => {
  const error = { code: 'conflict', message: 'changed', hint: 'look again', file: 'c.yaml', line: 3, column: 4 };
  const transport = new HttpTransport({ token: 'T', fetch: async () => json(409, { error }) });
  await expect(transport.call('Start')).rejects.toEqual(new CallError('conflict', 'changed', 'look again', 'c.yaml', 3, 4));
});

test('a program that is gone is unreachable, one that does not know the token has ended', async () => {
  const gone = new HttpTransport({ token: 'T', fetch: () => Promise.reject(new TypeError('fetch failed')) });
  await expect(gone.call('Start')).rejects.toMatchObject({ code: 'unreachable' });
  const other = new HttpTransport({ token: 'T', fetch: async () => json(401, { error: { code: 'refused', message: 'no', hint: '', file: '', line: 0, column: 0 } }) });
  await expect(other.call('Start')).rejects.toMatchObject({ code: 'closed' });
});

test('a stream that breaks is opened again, and the page hears that it may have missed something', async () => {
  const pipes = [pipe(), pipe()];
  let opened = 0;
  const paused: number[] = [];
  const transport = new HttpTransport({
    token: 'T',
    fetch: async () => new Response(pipes[opened++]?.body ?? null, { status: 200 }),
    pause: async (ms) => void paused.push(ms),
  });
  const links: Link[] = [];
  const signals: Signal[] = [];
  const heard = waiter();
  transport.onLink((link) => {
    links.push(link);
    heard.tell();
  });
  transport.onSignal((signal) => {
    signals.push(signal);
    heard.tell();
  });
  pipes[0]?.write('event: ready\ndata: {}\n\nevent: signal\ndata: {"topic":"servers"}\n\n');
  await heard.until(() => signals.length === 1);
  pipes[0]?.cut();
  pipes[1]?.write('event: ready\ndata: {}\n\n');
  await heard.until(() => links.at(-1) === 'live' && links.length > 2);
  expect(links).toEqual(['lost', 'live', 'lost', 'live']);
  expect(opened).toBe(2);
  expect(paused).toEqual([250]);
  transport.close();
});

test('a stream that is refused for its token ends the page, without trying on', async () => {
  let asked = 0;
  const transport = new HttpTransport({
    token: 'T',
    fetch: async () => {
      asked++;
      return json(401, {});
    },
    pause: async () => {},
  });
  const heard = waiter();
  let link: Link = 'lost';
  transport.onLink((now) => {
    link = now;
    heard.tell();
  });
  await heard.until(() => link === 'closed');
  expect(asked).toBe(1);
});

test('the address of a result escapes both names', () => {
  expect(resultPath('a/b', 'c?d')).toBe('/data/results/a%2Fb/c%3Fd');
});

/** Settles once a condition holds, looked at each time something was heard. */
function waiter() {
  let wake = () => {};
  return {
    tell: () => wake(),
    until: async (condition: () => boolean) => {
      while (!condition()) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}
