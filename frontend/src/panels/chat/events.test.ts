import { expect, test } from 'vitest';
import type { ChatEvent } from '@/bridge';
import { keepTurns, replay, turns } from './events';
import { oneLine } from './ToolCall';

const text = (text: string, provisional = false): ChatEvent => ({ type: 'text', text, provisional });
const call = (id: string): ChatEvent => ({ type: 'tool_call', id, name: 'mcp__files__read', server: 'files', tool: 'read', arguments: '{}' });
const result = (id: string, status: string, content = ''): ChatEvent => ({ type: 'tool_result', id, status, content });
const kinds = (events: ChatEvent[]) => replay(events).map((item) => item.kind);

test('streamed pieces are provisional until the stored row takes their place', () => {
  const pieces = [text('Hel', true), text('lo', true)];
  expect(replay(pieces)).toEqual([{ kind: 'text', text: 'Hello', provisional: true }]);
  expect(replay([...pieces, text('Hello, you.')])).toEqual([{ kind: 'text', text: 'Hello, you.', provisional: false }]);
});

test('a row that comes twice is shown once; an empty one not at all', () => {
  expect(replay([text('a'), text('a')])).toHaveLength(1);
  expect(replay([text('a', true), text('')])).toEqual([]);
  expect(replay([text('')])).toEqual([]);
});

test('each call has one result, by its id, whatever order they come in', () => {
  const items = replay([call('1'), call('2'), call('2'), result('2', 'denied', 'no'), result('1', 'ok', 'yes')]);
  expect(items).toMatchObject([
    { kind: 'call', id: '1', status: 'ok', content: 'yes' },
    { kind: 'call', id: '2', status: 'denied', content: 'no' },
  ]);
});

test('an unknown status is not shown as success', () => {
  expect(replay([call('1'), result('1', 'splendid')])).toMatchObject([{ status: 'unknown' }]);
});

test('the end leaves nothing provisional and nothing running', () => {
  const items = replay([call('1'), text('half', true), { type: 'done', messages: 3, model_passes: 1, tool_calls: 1, stop_reason: 'interrupted' }]);
  expect(items).toEqual([
    expect.objectContaining({ kind: 'call', status: 'unknown' }),
    { kind: 'text', text: 'half', provisional: false },
    { kind: 'done', messages: 3, passes: 1, calls: 1, reason: 'interrupted', usage: null },
  ]);
});

test('a type of tomorrow is left out', () => {
  expect(kinds([{ type: 'hologram' }, text('a')])).toEqual(['text']);
});

test('turns group what follows a message, with ids that stay', () => {
  const events: ChatEvent[] = [{ type: 'user', text: 'one' }, text('a'), call('1'), { type: 'user', text: 'two' }];
  const before = turns(replay(events));
  const after = turns(replay([...events, text('b')]));
  expect(before.map((turn) => turn.role)).toEqual(['user', 'assistant', 'user']);
  expect(after.slice(0, 3).map((turn) => turn.id)).toEqual(before.map((turn) => turn.id));
  expect(after).toHaveLength(4);
});

test('arguments are set out when they parse and shown as written when not', () => {
  expect(oneLine('{"path":"a.txt","lines":[1,2]}')).toBe('a.txt [1,2]');
});

test('turns that have not changed are taken over', () => {
  const events: ChatEvent[] = [{ type: 'user', text: 'one' }, text('a'), { type: 'user', text: 'two' }, text('b', true)];
  const items = replay(events);
  const before = turns(items);
  const after = keepTurns(before, turns([...items.slice(0, -1), { kind: 'text', text: 'bc', provisional: true }]));
  expect(after.map((turn, index) => turn === before[index])).toEqual([true, true, true, false]);
  expect(after.at(-1)).toMatchObject({ items: [{ text: 'bc' }] });
});

test('progress belongs to its running call and ends with it', () => {
  const far = (id: string, progress: number, total?: number): ChatEvent => ({ type: 'progress', id, progress, ...(total !== undefined && { total }), text: 'copying' });
  expect(replay([call('1'), call('2'), far('1', 3, 10)])).toMatchObject([{ progress: { done: 3, total: 10, text: 'copying' } }, { progress: null }]);
  expect(replay([call('1'), far('1', 3)])).toMatchObject([{ progress: { done: 3, total: 0 } }]);
  expect(replay([call('1'), far('1', 3, 10), result('1', 'ok')])).toMatchObject([{ status: 'ok', progress: null }]);
  // A late word changes nothing, and one about a call that nobody saw is not shown.
  expect(replay([call('1'), result('1', 'ok'), far('1', 3, 10), far('9', 1, 2)])).toMatchObject([{ status: 'ok', progress: null }]);
  expect(replay([call('1'), far('1', 3, 10), { type: 'done', session: 's' }])).toMatchObject([{ status: 'unknown', progress: null }, { kind: 'done' }]);
});
