import { toCallError, type CallError, type ChatEvent, type Transport } from '@/bridge';
import { apply, replay, type Item } from './events';

/** One session as it is shown. */
export interface Conversation {
  items: readonly Item[];
  running: boolean;
  stopping: boolean;
  loading: boolean;
  /** Why the stored session could not be read. */
  problem: CallError | null;
}

export interface ChatState {
  /** The session that is shown; null is a new one. */
  session: string | null;
  shown: Conversation;
  /** A message that was not sent, to be put back into the field, with the reason. */
  unsent: { text: string; error: CallError } | null;
}

const empty: Conversation = { items: [], running: false, stopping: false, loading: false, problem: null };

/**
 * Holds the conversations of this page. Events of every session are kept, so
 * that one may look at another while a turn runs. A new session is known by a
 * name of our own until ChatSend has told its real one.
 */
export class ChatStore {
  private readonly all = new Map<string, Conversation>();
  private session: string | null = null;
  private unsent: ChatState['unsent'] = null;
  /** Sessions that wait for their name, and whether to stop once it is here. */
  private readonly unnamed = new Map<string, { stop: boolean }>();
  private early: ChatEvent[] = [];
  private count = 0;
  private readonly loads = new Map<string, ChatEvent[]>();
  private state: ChatState = { session: null, shown: empty, unsent: null };
  private readonly heard = new Set<() => void>();

  /** listed is told when the list of sessions has changed. */
  constructor(
    private readonly transport: Transport,
    private readonly listed: () => void,
  ) {}

  get = (): ChatState => this.state;

  subscribe = (hear: () => void): (() => void) => {
    this.heard.add(hear);
    return () => {
      this.heard.delete(hear);
    };
  };

  /** Shows a session, reading it where it is not here yet; null is a new one. */
  show(session: string | null): void {
    this.session = session;
    this.unsent = null;
    if (session !== null && !this.all.has(session)) void this.load(session);
    this.tell();
  }

  /** Lets go of a session that is not stored any more; where it is shown, a new one takes its place. */
  forgetSession(session: string): void {
    this.all.delete(session);
    if (this.session === session) this.session = null;
    this.tell();
  }

  /** Takes an event of any session. */
  hear(event: ChatEvent): void {
    const session = event.session ?? '';
    this.loads.get(session)?.push(event);
    if (this.all.has(session)) this.add(session, event);
    // A new session speaks before its name has come back from ChatSend.
    else if (this.unnamed.size > 0) this.early.push(event);
    // By the time a card is shown the session has its title.
    if (event.type === 'done' || event.type === 'approval') this.listed();
  }

  /** Sends what the person wrote to the session that is shown. */
  async send(text: string): Promise<void> {
    const known = this.session;
    const session = known ?? `new ${++this.count}`;
    if (known === null) {
      this.unnamed.set(session, { stop: false });
      this.session = session;
    }
    this.unsent = null;
    this.change(session, (c) => ({ ...c, items: apply(c.items, { type: 'user', text }), running: true, stopping: false }));
    try {
      const start = await this.transport.call('ChatSend', known ?? '', text);
      if (known === null) this.adopt(session, start.session);
      this.listed();
    } catch (err) {
      this.change(session, (c) => ({ ...c, items: withoutLast(c.items, text), running: false }));
      if (known === null) this.forget(session);
      this.unsent = { text, error: toCallError(err) };
      this.tell();
    }
  }

  /** Stops the turn that runs in the session that is shown. */
  async stop(): Promise<void> {
    const session = this.session;
    if (session === null) return;
    this.change(session, (c) => ({ ...c, stopping: true }));
    const unnamed = this.unnamed.get(session);
    if (unnamed) unnamed.stop = true;
    else await this.stopNamed(session);
  }

  /** Reads anew what may have been missed. */
  resync(): void {
    const shown = this.session;
    for (const session of [...this.all.keys()]) {
      if (session !== shown && !this.unnamed.has(session)) this.all.delete(session);
    }
    if (shown !== null && !this.unnamed.has(shown)) void this.load(shown);
  }

  private async load(session: string): Promise<void> {
    const late: ChatEvent[] = [];
    this.loads.set(session, late);
    this.change(session, (c) => ({ ...c, loading: true, problem: null }));
    try {
      const stored = await this.transport.call('Transcript', session);
      // What came while the transcript was on its way may be in it or not; apply knows twins.
      const items = late.reduce<readonly Item[]>(apply, replay(stored.events));
      const ended = late.some((event) => event.type === 'done');
      this.change(session, (c) => ({ ...c, items, running: stored.running && !ended, loading: false }));
    } catch (err) {
      this.change(session, (c) => ({ ...c, loading: false, problem: toCallError(err) }));
    } finally {
      if (this.loads.get(session) === late) this.loads.delete(session);
    }
  }

  private async stopNamed(session: string): Promise<void> {
    try {
      await this.transport.call('ChatStop', session);
    } catch (err) {
      this.change(session, (c) => ({ ...c, stopping: false, items: apply(c.items, { type: 'error', text: toCallError(err).message }) }));
    }
  }

  private adopt(waiting: string, session: string): void {
    const stop = this.unnamed.get(waiting)?.stop ?? false;
    this.all.set(session, this.all.get(waiting) ?? empty);
    if (this.session === waiting) this.session = session;
    const early = this.early;
    this.forget(waiting);
    for (const event of early) {
      if (event.session === session) this.add(session, event);
    }
    this.tell();
    if (stop) void this.stopNamed(session);
  }

  private forget(waiting: string): void {
    this.all.delete(waiting);
    this.unnamed.delete(waiting);
    if (this.session === waiting) this.session = null;
    if (this.unnamed.size === 0) this.early = [];
  }

  private add(session: string, event: ChatEvent): void {
    this.change(session, (c) => ({
      ...c,
      items: apply(c.items, event),
      running: event.type !== 'done' && (c.running || event.type !== 'notice'),
      stopping: event.type !== 'done' && c.stopping,
    }));
  }

  private change(session: string, by: (c: Conversation) => Conversation): void {
    this.all.set(session, by(this.all.get(session) ?? empty));
    this.tell();
  }

  private tell(): void {
    const session = this.session;
    const shown = session === null ? empty : (this.all.get(session) ?? empty);
    this.state = { session: session !== null && this.unnamed.has(session) ? null : session, shown, unsent: this.unsent };
    for (const hear of this.heard) hear();
  }
}

function withoutLast(items: readonly Item[], text: string): readonly Item[] {
  const last = items.at(-1);
  return last?.kind === 'user' && last.text === text ? items.slice(0, -1) : items;
}
