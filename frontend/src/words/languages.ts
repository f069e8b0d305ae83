import de from './de.json';
import en from './en.json';
import es from './es.json';
import factsDe from './facts/de.json';
import factsEs from './facts/es.json';
import policyDe from './policy/de.json';
import policyEn from './policy/en.json';
import policyEs from './policy/es.json';

/** The languages of the page, each by its own name. */
export const languages = { en: 'English', de: 'Deutsch', es: 'Español' } as const;
export type Language = keyof typeof languages;

/** The page's own texts, for i18next. */
export const pageTexts: Record<Language, object> = { en, de, es };

/** The texts of the policy's codes. */
export const policyTexts: Record<Language, Record<string, string>> = { en: policyEn, de: policyDe, es: policyEs };

/** What the program says beside the policy. Its own sentences are English, so there is no third file. */
export const factTexts: Record<Language, Record<string, string>> = { en: {}, de: factsDe, es: factsEs };

export function isLanguage(text: string | undefined | null): text is Language {
  return text !== undefined && text !== null && Object.hasOwn(languages, text);
}
