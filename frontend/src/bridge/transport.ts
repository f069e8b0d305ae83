import type { Answer, Arguments, Method, Signal } from './types';

/** Whether signals arrive now. 'closed' means that this page's run has ended. */
export type Link = 'live' | 'lost' | 'closed';

/** The one way to the program; see window.ts, http.ts and fake.ts. */
export interface Transport {
  readonly kind: 'window' | 'http' | 'fake';
  /** Calls a method; rejects with a CallError. */
  call<M extends Method>(method: M, ...args: Arguments<M>): Promise<Answer<M>>;
  /** Hears signals until the returned function is called. */
  onSignal(hear: (signal: Signal) => void): () => void;
  /**
   * Hears how the link is: at once, and on every change. After 'lost', 'live'
   * means that signals may have been missed: ask for everything anew.
   */
  onLink(hear: (link: Link) => void): () => void;
  /** Reads large data, as text, from an address below /data/. */
  data(path: string): Promise<string>;
  /** Opens an address of the web outside of the page. */
  openAddress(url: string): void;
}

/** A set of listeners; the transports share it. */
export class Listeners<T> {
  private readonly all = new Set<(value: T) => void>();

  add(hear: (value: T) => void): () => void {
    this.all.add(hear);
    return () => {
      this.all.delete(hear);
    };
  }

  tell(value: T): void {
    for (const hear of [...this.all]) hear(value);
  }
}

/** The address of a whole tool result (backend/view, ChatEvent). */
export function resultPath(session: string, call: string): string {
  return `/data/results/${encodeURIComponent(session)}/${encodeURIComponent(call)}`;
}
