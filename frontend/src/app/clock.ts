import { useSyncExternalStore } from 'react';

/** Ticks each second while somebody counts and the page can be seen. Else nothing runs. */
class Clock {
  private now = Date.now();
  private readonly heard = new Set<() => void>();
  private timer: ReturnType<typeof setInterval> | null = null;

  get = (): number => this.now;

  subscribe = (hear: () => void): (() => void) => {
    if (this.heard.size === 0) document.addEventListener('visibilitychange', this.fit);
    this.heard.add(hear);
    this.now = Date.now();
    this.fit();
    return () => {
      this.heard.delete(hear);
      if (this.heard.size === 0) document.removeEventListener('visibilitychange', this.fit);
      this.fit();
    };
  };

  private readonly fit = (): void => {
    const wanted = this.heard.size > 0 && document.visibilityState !== 'hidden';
    if (wanted && this.timer === null) {
      this.tick();
      this.timer = setInterval(this.tick, 1000);
    }
    if (!wanted && this.timer !== null) {
      clearInterval(this.timer);
      this.timer = null;
    }
  };

  private readonly tick = (): void => {
    this.now = Date.now();
    for (const hear of this.heard) hear();
  };
}

const clock = new Clock();
const still = () => () => {};

/** The time in milliseconds, anew each second while counting; the program is asked nothing. */
export function useNow(counting: boolean): number {
  return useSyncExternalStore(counting ? clock.subscribe : still, clock.get);
}

function onVisibility(hear: () => void): () => void {
  document.addEventListener('visibilitychange', hear);
  return () => document.removeEventListener('visibilitychange', hear);
}

/** Whether the page can be seen. */
export function useVisible(): boolean {
  return useSyncExternalStore(onVisibility, () => document.visibilityState !== 'hidden');
}
