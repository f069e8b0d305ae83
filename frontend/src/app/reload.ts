import { toCallError, type CallError, type Reloaded, type Transport } from '@/bridge';

export type ReloadState = { state: 'idle' } | { state: 'busy' } | { state: 'done'; what: Reloaded } | { state: 'failed'; error: CallError };

/** What a person types into the chat to have the file read again and failed servers tried again. */
export const reloadCommand = '/reload-mcp';

/** Reloads by force, for the button and for the command, and keeps what came of it until it is closed. */
export class Reloads {
  private state: ReloadState = { state: 'idle' };
  private readonly heard = new Set<() => void>();

  constructor(
    private readonly transport: Transport,
    private readonly refresh: () => void,
  ) {}

  get = (): ReloadState => this.state;

  subscribe = (hear: () => void): (() => void) => {
    this.heard.add(hear);
    return () => {
      this.heard.delete(hear);
    };
  };

  async run(): Promise<void> {
    if (this.state.state === 'busy') return;
    this.set({ state: 'busy' });
    try {
      this.set({ state: 'done', what: await this.transport.call('ReloadNow') });
    } catch (err) {
      this.set({ state: 'failed', error: toCallError(err) });
    }
    this.refresh();
  }

  close(): void {
    if (this.state.state !== 'busy') this.set({ state: 'idle' });
  }

  /** Takes off what was said about another revision of the file than the one in force. */
  outdate(revision: string): void {
    if (this.state.state === 'failed' || (this.state.state === 'done' && this.state.what.revision !== revision)) this.close();
  }

  private set(state: ReloadState): void {
    this.state = state;
    for (const hear of this.heard) hear();
  }
}
