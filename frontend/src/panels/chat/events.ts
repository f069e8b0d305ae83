import type { ChatEvent, Usage, Words } from '@/bridge';

/** How a call stands; 'running' until its one result comes. */
export type CallStatus = 'running' | 'ok' | 'error' | 'denied' | 'blocked' | 'interrupted' | 'unknown';

/** How far a running call is; total is 0 where the server does not say. */
export interface Progress {
  done: number;
  total: number;
  text: string;
}

export type Item =
  | { kind: 'user'; text: string }
  | { kind: 'text'; text: string; provisional: boolean }
  | {
      kind: 'call';
      id: string;
      name: string;
      server: string;
      tool: string;
      args: string;
      status: CallStatus;
      content: string;
      truncated: boolean;
      size: number;
      /** What the program says of it, by code, where it did not run or nobody knows. */
      said: readonly Words[];
      /** How far it is, while it runs and where its server says so. */
      progress: Progress | null;
    }
  | { kind: 'notice' | 'error'; text: string; said: readonly Words[] }
  | { kind: 'done'; messages: number; passes: number; calls: number; reason: string; usage: Usage | null };

export type CallItem = Extract<Item, { kind: 'call' }>;

const statuses: readonly string[] = ['ok', 'error', 'denied', 'blocked', 'interrupted', 'unknown'];

/** Adds one event to what is shown. It never changes the list it was given. */
export function apply(items: readonly Item[], event: ChatEvent): readonly Item[] {
  const text = event.text ?? '';
  switch (event.type) {
    case 'user':
      return [...items, { kind: 'user', text }];
    case 'text':
      return event.provisional ? piece(items, text) : row(items, text);
    case 'tool_call':
      return call(items, event);
    case 'progress':
      return progress(items, event);
    case 'tool_result':
      return result(items, event);
    case 'notice':
      return [...items, { kind: 'notice', text, said: event.said ?? [] }];
    // Which calls wait is known by the questions that are open.
    case 'approval':
      return items;
    case 'error':
      return [...items, { kind: 'error', text, said: event.said ?? [] }];
    case 'done':
      return done(items, event);
    default:
      return items;
  }
}

/** Replays stored events. */
export function replay(events: readonly ChatEvent[]): readonly Item[] {
  return events.reduce<readonly Item[]>(apply, []);
}

// Streamed text is provisional: pieces are appended until the stored row comes.
function piece(items: readonly Item[], text: string): readonly Item[] {
  const last = items.at(-1);
  if (last?.kind === 'text' && last.provisional) return [...items.slice(0, -1), { ...last, text: last.text + text }];
  return text === '' ? items : [...items, { kind: 'text', text, provisional: true }];
}

// The stored row takes the place of its pieces. A row that is shown already came
// twice: once with a transcript, once as an event.
function row(items: readonly Item[], text: string): readonly Item[] {
  const last = items.at(-1);
  const stored: Item = { kind: 'text', text, provisional: false };
  if (last?.kind === 'text' && last.provisional) return text === '' ? items.slice(0, -1) : [...items.slice(0, -1), stored];
  if (text === '' || (last?.kind === 'text' && last.text === text)) return items;
  return [...items, stored];
}

function call(items: readonly Item[], event: ChatEvent): readonly Item[] {
  const id = event.id ?? '';
  if (items.some((item) => item.kind === 'call' && item.id === id)) return items;
  const shown: Item = {
    kind: 'call',
    id,
    name: event.name ?? '',
    server: event.server ?? '',
    tool: event.tool ?? '',
    args: event.arguments ?? '',
    status: 'running',
    content: '',
    truncated: false,
    size: 0,
    said: [],
    progress: null,
  };
  return [...settled(items), shown];
}

// A word about a call that is not shown, or has ended, says nothing any more.
function progress(items: readonly Item[], event: ChatEvent): readonly Item[] {
  const { progress: done = 0, total = 0, text = '' } = event;
  if (!items.some((item) => item.kind === 'call' && item.id === event.id && item.status === 'running')) return items;
  return items.map((item) => (item.kind === 'call' && item.id === event.id ? { ...item, progress: { done, total, text } } : item));
}

function result(items: readonly Item[], event: ChatEvent): readonly Item[] {
  const status: CallStatus = statuses.includes(event.status ?? '') ? (event.status as CallStatus) : 'unknown';
  return items.map((item) =>
    item.kind === 'call' && item.id === event.id
      ? { ...item, status, content: event.content ?? '', truncated: event.truncated ?? false, size: event.size ?? 0, said: event.said ?? [], progress: null }
      : item,
  );
}

// At the end nothing is provisional and nothing runs, whatever was missed.
function done(items: readonly Item[], event: ChatEvent): readonly Item[] {
  const ended = settled(items).map((item): Item => (item.kind === 'call' && item.status === 'running' ? { ...item, status: 'unknown', progress: null } : item));
  return [
    ...ended,
    { kind: 'done', messages: event.messages ?? 0, passes: event.model_passes ?? 0, calls: event.tool_calls ?? 0, reason: event.stop_reason ?? '', usage: event.usage ?? null },
  ];
}

function settled(items: readonly Item[]): readonly Item[] {
  const last = items.at(-1);
  return last?.kind === 'text' && last.provisional ? [...items.slice(0, -1), { ...last, provisional: false }] : items;
}

/** What the person wrote, or all that followed it up to the next time. */
export type Turn = { id: string; role: 'user'; text: string } | { id: string; role: 'assistant'; items: readonly Item[] };

/** Groups items into turns; ids are stable as items are added. */
export function turns(items: readonly Item[]): Turn[] {
  const out: Turn[] = [];
  let group: Item[] | null = null;
  for (const item of items) {
    if (item.kind === 'user') {
      group = null;
      out.push({ id: `u${out.length}`, role: 'user', text: item.text });
      continue;
    }
    if (!group) {
      group = [];
      out.push({ id: `a${out.length}`, role: 'assistant', items: group });
    }
    group.push(item);
  }
  return out;
}

/** Takes over the turns that have not changed, so that only the others are drawn anew. */
export function keepTurns(before: readonly Turn[], after: readonly Turn[]): Turn[] {
  return after.map((turn, index) => {
    const old = before[index];
    if (!old || old.id !== turn.id) return turn;
    if (old.role === 'user') return turn.role === 'user' && old.text === turn.text ? old : turn;
    if (turn.role === 'user' || old.items.length !== turn.items.length) return turn;
    return old.items.every((item, at) => item === turn.items[at]) ? old : turn;
  });
}
