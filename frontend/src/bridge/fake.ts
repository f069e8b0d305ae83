// The program as a test needs it: answers are handed in, signals are sent by
// hand, and what was asked is remembered.
import { CallError } from './errors';
import { Listeners, type Link, type Transport } from './transport';
import type { Answer, Arguments, Method, Signal } from './types';

export type Answers = { [M in Method]?: (...args: Arguments<M>) => Answer<M> | Promise<Answer<M>> };

export class FakeTransport implements Transport {
  readonly kind = 'fake';
  readonly asked: { method: Method; args: unknown[] }[] = [];
  readonly opened: string[] = [];
  readonly large = new Map<string, string>();
  private readonly signals = new Listeners<Signal>();
  private readonly links = new Listeners<Link>();
  private link: Link = 'live';

  constructor(public answers: Answers) {}

  async call<M extends Method>(method: M, ...args: Arguments<M>): Promise<Answer<M>> {
    this.asked.push({ method, args: [...args] });
    const answer = this.answers[method] as ((...list: Arguments<M>) => Answer<M> | Promise<Answer<M>>) | undefined;
    if (!answer) throw new CallError('failed', `nobody answers ${method}`);
    return answer(...args);
  }

  onSignal(hear: (signal: Signal) => void): () => void {
    return this.signals.add(hear);
  }

  onLink(hear: (link: Link) => void): () => void {
    hear(this.link);
    return this.links.add(hear);
  }

  async data(path: string): Promise<string> {
    const text = this.large.get(path);
    if (text === undefined) throw new CallError('failed', `there is nothing at ${path}`);
    return text;
  }

  openAddress(url: string): void {
    this.opened.push(url);
  }

  /** Sends a signal to the page. */
  signal(signal: Signal): void {
    this.signals.tell(signal);
  }

  setLink(link: Link): void {
    this.link = link;
    this.links.tell(link);
  }

  /** The arguments of each call of a method so far. */
  calls(method: Method): unknown[][] {
    return this.asked.filter((one) => one.method === method).map((one) => one.args);
  }
}
