import { CallError, toCallError, type EditResult, type ToolEdit, type Transport } from '@/bridge';

/** What an edit is about: one tool of a server, or the server as a whole. */
export interface Target {
  server: string;
  tool?: string;
}

/** An edit that was not carried out. The page shows the old state and says why. */
export interface Failure extends Target {
  on: boolean;
  /** The revision it was tried on. */
  at: string;
  error: CallError;
}

/** What is painted over the program's last answer, and what went wrong. */
export interface EditState {
  /** Wanted results that are on their way, by keyOf. */
  pending: ReadonlyMap<string, boolean>;
  failures: ReadonlyMap<string, Failure>;
  /** What the last carried out edit warned of, by server. */
  warnings: ReadonlyMap<string, readonly string[]>;
}

export function keyOf(t: Target): string {
  return JSON.stringify([t.server, t.tool ?? null]);
}

/** Whether an edit of the server, or of one of its tools, is on its way. */
export function isWriting(state: EditState, server: string): boolean {
  return [...state.pending.keys()].some((key) => (JSON.parse(key) as unknown[])[0] === server);
}

type Ask = (revision: string) => Promise<EditResult>;

/**
 * Sends edits one after the other. Each states a wanted result and the revision
 * the person saw; where only our own edits changed the file since, that is
 * the same state and the newer revision is sent. It paints at once and takes
 * the paint off again when the program says no.
 */
export class Edits {
  private state: EditState = { pending: new Map(), failures: new Map(), warnings: new Map() };
  private readonly heard = new Set<() => void>();
  // The revisions that only our own edits lie between, and the last of them.
  private readonly chain = new Set<string>();
  private tip = '';
  private tail: Promise<void> = Promise.resolve();
  private waiting = 0;
  private latest = new Map<string, number>();
  private count = 0;

  /** refresh asks for the servers anew and settles when the answer is shown. */
  constructor(
    private readonly transport: Transport,
    private readonly refresh: (revision: string) => Promise<void>,
  ) {}

  get = (): EditState => this.state;

  subscribe = (hear: () => void): (() => void) => {
    this.heard.add(hear);
    return () => {
      this.heard.delete(hear);
    };
  };

  /** Wants a tool on or off, as seen at a revision. */
  setTool(edit: ToolEdit): Promise<void> {
    return this.enqueue({ server: edit.server, tool: edit.tool }, edit.on, edit.revision, (revision) =>
      this.transport.call('SetTool', { ...edit, revision }),
    );
  }

  lock(server: string, revision: string): Promise<void> {
    return this.enqueue({ server }, false, revision, (seen) => this.transport.call('Lock', { server, revision: seen }));
  }

  open(server: string, revision: string): Promise<void> {
    return this.enqueue({ server }, true, revision, (seen) => this.transport.call('Open', { server, revision: seen }));
  }

  /** Wants the restriction that is held written back into the file. */
  restore(server: string, revision: string): Promise<void> {
    return this.enqueue({ server }, false, revision, (seen) => this.transport.call('Restore', { server, revision: seen }));
  }

  /** Wants a whitelist of exactly these tools, as seen at a revision. */
  lockTo(server: string, tools: readonly string[], revision: string): Promise<void> {
    return this.enqueue({ server }, false, revision, (seen) =>
      this.transport.call('Select', { server, on: [...tools], off: [], lock_to: true, expand: false, revision: seen }),
    );
  }

  /** Takes a failure off the page. */
  dismiss(target: Target): void {
    const failures = new Map(this.state.failures);
    failures.delete(keyOf(target));
    this.set({ failures });
  }

  /**
   * Takes off what was said about a file that is not the one in force any more. That the
   * file changed meanwhile stays: the change it speaks of may be this very one.
   */
  outdate(revision: string): void {
    if (revision === this.tip) return;
    const failures = new Map([...this.state.failures].filter(([, failure]) => failure.at === revision || failure.error.code === 'conflict'));
    this.set({ failures, warnings: new Map() });
  }

  /** Takes everything off that was said about past edits: the person looks elsewhere now. */
  leave(): void {
    this.set({ failures: new Map(), warnings: new Map() });
  }

  /** Takes the warnings about a server off the page. */
  noteWarnings(server: string): void {
    const warnings = new Map(this.state.warnings);
    warnings.delete(server);
    this.set({ warnings });
  }

  private enqueue(target: Target, on: boolean, seen: string, ask: Ask): Promise<void> {
    const key = keyOf(target);
    const number = ++this.count;
    this.latest.set(key, number);
    this.waiting++;
    const failures = new Map(this.state.failures);
    failures.delete(key);
    this.set({ pending: new Map(this.state.pending).set(key, on), failures });
    const run = this.tail.then(() => this.run(target, on, seen, number, ask));
    this.tail = run;
    return run;
  }

  private async run(target: Target, on: boolean, seen: string, number: number, ask: Ask): Promise<void> {
    const sent = this.chain.has(seen) ? this.tip : seen;
    let revision = '';
    try {
      const result = await ask(sent);
      revision = result.revision;
      this.chain.add(sent).add(revision);
      this.tip = revision;
      this.set({ warnings: new Map(this.state.warnings).set(target.server, result.warnings) });
    } catch (err) {
      this.chain.clear();
      const failures = new Map(this.state.failures).set(keyOf(target), { ...target, on, at: sent, error: toCallError(err) });
      // The paint goes before the new answer comes: nothing was written.
      this.settle(target, number, failures);
    }
    // The paint of what was written stays until the program's answer shows it.
    await this.refresh(revision).catch(() => {});
    this.settle(target, number, this.state.failures);
    this.waiting--;
    if (this.waiting === 0) this.chain.clear();
  }

  private settle(target: Target, number: number, failures: ReadonlyMap<string, Failure>): void {
    const key = keyOf(target);
    const pending = new Map(this.state.pending);
    if (this.latest.get(key) === number) {
      pending.delete(key);
      this.latest.delete(key);
    }
    this.set({ pending, failures });
  }

  private set(change: Partial<EditState>): void {
    this.state = { ...this.state, ...change };
    for (const hear of this.heard) hear();
  }
}
