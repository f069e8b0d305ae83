// The browser: methods by POST, signals by a stream of server-sent events, both
// with this run's token in a header (backend/web).
import { CallError, toCallError } from './errors';
import { withLists } from './lists';
import { readEvents } from './stream';
import { Listeners, type Link, type Transport } from './transport';
import type { Answer, Arguments, Method, Signal } from './types';

const tokenHeader = 'X-Hermes-Token';
const waits = [250, 500, 1000, 2000, 5000];

export interface HttpOptions {
  token: string;
  fetch?: typeof fetch;
  /** Waits before the next try; tests hand in one that does not. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export class HttpTransport implements Transport {
  readonly kind = 'http';
  private readonly token: string;
  private readonly fetch: typeof fetch;
  private readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  private readonly signals = new Listeners<Signal>();
  private readonly links = new Listeners<Link>();
  private readonly ended = new AbortController();
  private link: Link = 'lost';
  private started = false;

  constructor(options: HttpOptions) {
    this.token = options.token;
    this.fetch = options.fetch ?? window.fetch.bind(window);
    this.pause = options.pause ?? pauseFor;
  }

  async call<M extends Method>(method: M, ...args: Arguments<M>): Promise<Answer<M>> {
    const answer = await this.ask(`/api/call/${method}`, { method: 'POST', body: JSON.stringify(args) });
    const body: unknown = await answer.json().catch(() => null);
    if (!answer.ok) throw this.failure(answer.status, body);
    return withLists(method, body);
  }

  onSignal(hear: (signal: Signal) => void): () => void {
    this.listen();
    return this.signals.add(hear);
  }

  onLink(hear: (link: Link) => void): () => void {
    this.listen();
    hear(this.link);
    return this.links.add(hear);
  }

  async data(path: string): Promise<string> {
    const answer = await this.ask(path, { method: 'GET' });
    if (!answer.ok) throw this.failure(answer.status, await answer.json().catch(() => null));
    return answer.text();
  }

  openAddress(url: string): void {
    window.open(url, '_blank', 'noopener,noreferrer');
  }

  /** Ends the stream; a page that is left does it by leaving. */
  close(): void {
    this.ended.abort();
  }

  private async ask(path: string, init: RequestInit): Promise<Response> {
    const headers: Record<string, string> = { [tokenHeader]: this.token };
    if (init.body !== undefined) headers['Content-Type'] = 'application/json';
    try {
      return await this.fetch(path, { cache: 'no-store', credentials: 'omit', ...init, headers });
    } catch {
      throw new CallError('unreachable', 'the program does not answer');
    }
  }

  private failure(status: number, body: unknown): CallError {
    const error = toCallError((body as { error?: unknown } | null)?.error ?? null);
    if (status !== 401) return error;
    // Another run of the program has another token: this page is of the past.
    this.setLink('closed');
    return new CallError('closed', error.message, error.hint);
  }

  private setLink(link: Link): void {
    if (this.link === link || this.link === 'closed') return;
    this.link = link;
    if (link === 'closed') this.ended.abort();
    this.links.tell(link);
  }

  private listen(): void {
    if (this.started) return;
    this.started = true;
    void this.follow();
  }

  private async follow(): Promise<void> {
    const signal = this.ended.signal;
    for (let tries = 0; !signal.aborted; tries++) {
      const heard = await this.followOnce(signal).catch(() => false);
      if (signal.aborted) return;
      this.setLink('lost');
      if (heard) tries = 0;
      await this.pause(waits[Math.min(tries, waits.length - 1)] ?? 5000, signal);
    }
  }

  /** Follows one stream to its end and tells whether it was ever open. */
  private async followOnce(signal: AbortSignal): Promise<boolean> {
    const answer = await this.ask('/api/events', { method: 'GET', signal });
    if (!answer.ok || !answer.body) {
      this.failure(answer.status, null);
      return false;
    }
    let heard = false;
    try {
      for await (const event of readEvents(answer.body)) {
        heard = true;
        if (event.name === 'ready') this.setLink('live');
        if (event.name === 'signal') this.signals.tell(JSON.parse(event.data) as Signal);
      }
    } catch {
      // A stream that breaks is one that ended.
    }
    return heard;
  }
}

function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = window.setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      window.clearTimeout(timer);
      resolve();
    });
  });
}
