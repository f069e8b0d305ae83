import { expect, test } from 'vitest';
import { CallError, type ChatStart, type Transcript } from '@/bridge';
import { FakeTransport } from '@/bridge/fake';
import { hold } from '@/testing/scenario';
import { ChatStore } from './store';

function chat(transport: FakeTransport) {
  return new ChatStore(transport, () => {});
}

/** Settles once the store shows what is waited for. */
function until(store: ChatStore, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!condition()) return;
      end();
      resolve();
    };
    const end = store.subscribe(look);
    look();
  });
}

const shownTexts = (store: ChatStore) => store.get().shown.items.map((item) => ('text' in item ? item.text : item.kind));

test('events that come before a new session has its name are not lost', async () => {
  const start = hold<ChatStart>();
  const transport = new FakeTransport({ ChatSend: () => start.promise });
  const store = chat(transport);
  const sent = store.send('hello');
  store.hear({ type: 'text', session: 's1', text: 'hi', provisional: true });
  store.hear({ type: 'text', session: 'other', text: 'not here' });
  start.settle({ session: 's1' });
  await sent;
  expect(shownTexts(store)).toEqual(['hello', 'hi']);
  store.hear({ type: 'text', session: 's1', text: 'hi there' });
  store.hear({ type: 'done', session: 's1' });
  expect(store.get().session).toBe('s1');
  expect(shownTexts(store)).toEqual(['hello', 'hi there', 'done']);
  expect(store.get().shown.running).toBe(false);
  expect(transport.calls('ChatSend')).toEqual([['', 'hello']]);
});

test('a new chat while the last one waits for its name keeps both apart', async () => {
  const start = hold<ChatStart>();
  const store = chat(new FakeTransport({ ChatSend: () => start.promise }));
  const sent = store.send('hello');
  store.show(null);
  expect(store.get().shown.items).toEqual([]);
  start.settle({ session: 's1' });
  await sent;
  expect(store.get().session).toBeNull();
  store.show('s1');
  expect(shownTexts(store)).toEqual(['hello']);
});

test('a message that was not sent comes back with the reason', async () => {
  const store = chat(
    new FakeTransport({
      ChatSend: () => {
        throw new CallError('failed', 'no model: OPENAI_API_KEY is not set', 'set it');
      },
    }),
  );
  await store.send('hello');
  expect(store.get()).toMatchObject({ session: null, shown: { items: [], running: false }, unsent: { text: 'hello', error: { hint: 'set it' } } });
});

test('stop asks for the session that is shown, also when it has no name yet', async () => {
  const start = hold<ChatStart>();
  const stopped = hold<undefined>();
  const transport = new FakeTransport({ ChatSend: () => start.promise, ChatStop: () => stopped.settle(undefined) });
  const store = chat(transport);
  const sent = store.send('hello');
  await store.stop();
  expect(store.get().shown.stopping).toBe(true);
  expect(transport.calls('ChatStop')).toEqual([]);
  start.settle({ session: 's1' });
  await sent;
  await stopped.promise;
  expect(transport.calls('ChatStop')).toEqual([['s1']]);
  store.hear({ type: 'done', session: 's1', stop_reason: 'interrupted' });
  expect(store.get().shown).toMatchObject({ running: false, stopping: false });
});

test('a stored session is read once, and what comes meanwhile is added once', async () => {
  const transcript = hold<Transcript>();
  const transport = new FakeTransport({ Transcript: () => transcript.promise });
  const store = chat(transport);
  store.show('s1');
  store.hear({ type: 'tool_call', session: 's1', id: 'c1', name: 'n' });
  store.hear({ type: 'tool_result', session: 's1', id: 'c1', status: 'ok', content: 'r' });
  transcript.settle({
    session: 's1',
    title: '',
    running: true,
    events: [
      { type: 'user', text: 'hello' },
      { type: 'tool_call', id: 'c1', name: 'n' },
    ],
  });
  await until(store, () => !store.get().shown.loading);
  expect(store.get().shown.items).toMatchObject([{ kind: 'user' }, { kind: 'call', status: 'ok', content: 'r' }]);
  expect(store.get().shown.running).toBe(true);
  store.show('s1');
  expect(transport.calls('Transcript')).toHaveLength(1);
});

test('after a gap the session that is shown is read anew', async () => {
  const transcripts = [hold<Transcript>(), hold<Transcript>()];
  let asked = 0;
  const store = chat(new FakeTransport({ Transcript: () => (transcripts[asked++] ?? hold<Transcript>()).promise }));
  store.show('s1');
  transcripts[0]?.settle({ session: 's1', title: '', running: true, events: [{ type: 'user', text: 'hello' }] });
  await until(store, () => !store.get().shown.loading);
  store.resync();
  transcripts[1]?.settle({ session: 's1', title: '', running: false, events: [{ type: 'user', text: 'hello' }, { type: 'text', text: 'missed' }] });
  await until(store, () => !store.get().shown.loading);
  expect(shownTexts(store)).toEqual(['hello', 'missed']);
  expect(store.get().shown.running).toBe(false);
});
