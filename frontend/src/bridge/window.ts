// The window: Wails' generated bindings, and its runtime events for the small
// signals. Large data comes through the asset server's handler.
import * as App from '@wailsjs/go/main/App';
import { BrowserOpenURL, EventsOn } from '@wailsjs/runtime/runtime';
import { CallError, toCallError } from './errors';
import { withLists } from './lists';
import { Listeners, type Link, type Transport } from './transport';
import type { Answer, Arguments, Method, Signal } from './types';

// view.SignalEvent
const signalEvent = 'signal';

export class WindowTransport implements Transport {
  readonly kind = 'window';
  private readonly signals = new Listeners<Signal>();

  constructor() {
    EventsOn(signalEvent, (signal: Signal) => this.signals.tell(signal));
  }

  async call<M extends Method>(method: M, ...args: Arguments<M>): Promise<Answer<M>> {
    try {
      const bound = App[method] as (...list: unknown[]) => Promise<unknown>;
      return withLists(method, await bound(...args));
    } catch (err) {
      throw toCallError(err);
    }
  }

  onSignal(hear: (signal: Signal) => void): () => void {
    return this.signals.add(hear);
  }

  // The bindings live as long as the page does.
  onLink(hear: (link: Link) => void): () => void {
    hear('live');
    return () => {};
  }

  async data(path: string): Promise<string> {
    const answer = await fetch(path, { cache: 'no-store' });
    if (!answer.ok) throw new CallError('failed', `the data could not be read (${answer.status})`);
    return answer.text();
  }

  openAddress(url: string): void {
    BrowserOpenURL(url);
  }
}
