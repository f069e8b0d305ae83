import { useSyncExternalStore } from 'react';

/** What a person chose; 'system' follows the desktop. */
export type Theme = 'system' | 'light' | 'dark';

const remembered = 'hermes.theme';

/** Keeps the page's theme in step with the choice and with the desktop. */
export class ThemeChoice {
  private choice: Theme;
  private readonly heard = new Set<() => void>();
  private readonly dark: MediaQueryList;

  constructor(
    private readonly root: HTMLElement,
    private readonly memory: Storage,
  ) {
    const stored = memory.getItem(remembered);
    this.choice = stored === 'light' || stored === 'dark' ? stored : 'system';
    this.dark = window.matchMedia('(prefers-color-scheme: dark)');
    this.dark.addEventListener('change', () => this.apply());
    this.apply();
  }

  get = (): Theme => this.choice;

  set(choice: Theme): void {
    this.choice = choice;
    this.memory.setItem(remembered, choice);
    this.apply();
    for (const hear of this.heard) hear();
  }

  subscribe = (hear: () => void): (() => void) => {
    this.heard.add(hear);
    return () => {
      this.heard.delete(hear);
    };
  };

  private apply(): void {
    const dark = this.choice === 'dark' || (this.choice === 'system' && this.dark.matches);
    this.root.dataset['theme'] = dark ? 'dark' : 'light';
  }
}

export function useTheme(choice: ThemeChoice): Theme {
  return useSyncExternalStore(choice.subscribe, choice.get);
}
