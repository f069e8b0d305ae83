import type { Usage } from '@/bridge';
import { useWords } from '@/words';

/** What a turn or a conversation took, in words: tokens as the vendor counts them, and the price where it is known. */
export function useUsageWords() {
  const { t, language } = useWords();
  const number = (n: number) => new Intl.NumberFormat(language, { notation: n >= 100_000 ? 'compact' : 'standard', maximumFractionDigits: 1 }).format(n);
  const money = (n: number) => new Intl.NumberFormat(language, { style: 'currency', currency: 'USD', maximumFractionDigits: n < 1 ? 4 : 2 }).format(n);
  return {
    /** Tokens in and out, those from the cache, and the price. */
    long(usage: Usage): string {
      const parts = [t('usage.in', { tokens: number(usage.input_tokens) })];
      if (usage.cache_read_tokens > 0) parts.push(t('usage.cached', { tokens: number(usage.cache_read_tokens) }));
      parts.push(t('usage.out', { tokens: number(usage.output_tokens) }));
      if (usage.cost_usd !== undefined) parts.push(money(usage.cost_usd));
      return parts.join(', ');
    },
    /** All tokens and the price, for a row. */
    short(usage: Usage): string {
      const tokens = t('usage.tokens', { tokens: number(usage.input_tokens + usage.output_tokens) });
      return usage.cost_usd === undefined ? tokens : `${tokens} · ${money(usage.cost_usd)}`;
    },
  };
}
