import i18next, { type i18n } from 'i18next';
import { initReactI18next, useTranslation } from 'react-i18next';
import type { Problem, Words } from '@/bridge';
import { fill } from './fill';
import { factTexts, isLanguage, pageTexts, policyTexts, type Language } from './languages';

export { languages, type Language } from './languages';

const remembered = 'hermes.language';

/** Chooses the language: what was chosen before, else what the browser asks for, else English. */
export function chooseLanguage(memory: Storage, wanted: readonly string[]): Language {
  const stored = memory.getItem(remembered);
  if (isLanguage(stored)) return stored;
  return wanted.map((tag) => tag.split('-')[0]).find(isLanguage) ?? 'en';
}

/** What the program says with a code, its parameters and the next step. */
export type Told = Pick<Problem, 'code' | 'params' | 'message' | 'hint'>;

function told(language: string, one: Told): { message: string; hint: string } {
  return { message: say(language, one.code, one.params, one.message), hint: say(language, `${one.code}.hint`, one.params, one.hint) };
}

/** Makes the page's texts ready; they are part of the page, so nothing is awaited. */
export function startWords(language: Language): i18n {
  const words = i18next.createInstance();
  void words.use(initReactI18next).init({
    lng: language,
    fallbackLng: 'en',
    resources: Object.fromEntries(Object.entries(pageTexts).map(([name, texts]) => [name, { translation: texts }])),
    interpolation: { escapeValue: false },
    initAsync: false,
  });
  document.documentElement.lang = language;
  return words;
}

export function rememberLanguage(words: i18n, language: Language, memory: Storage): void {
  memory.setItem(remembered, language);
  document.documentElement.lang = language;
  void words.changeLanguage(language);
}

/** Says a code in a language; the program's English sentence where there is no such code. */
export function say(language: string, code: string, params: readonly string[], english: string): string {
  if (!isLanguage(language)) return english;
  const texts = policyTexts[language];
  const text = own(texts, code) ?? own(factTexts[language], code);
  return text === undefined ? english : fill(text, params, (name) => texts[`kind.${name}`] ?? '');
}

/** Says the parts of what the program said one after the other; its own text where it is English or of no known code. */
export function sayAll(language: string, said: readonly Words[], english: string): string {
  if (language === 'en' || !said.some((one) => one.code !== '')) return english;
  const parts = said.map((one) => say(language, one.code, one.params, one.text).trim()).filter((text) => text !== '');
  return parts.map((text, at) => (at === parts.length - 1 || /[.!?:;]$/.test(text) ? text : `${text}.`)).join(' ');
}

function own(texts: Record<string, string>, code: string): string | undefined {
  return Object.hasOwn(texts, code) ? texts[code] : undefined;
}

/** The page's texts and the policy's words, in the language in force. */
export function useWords() {
  const { t, i18n: words } = useTranslation();
  const language = words.language;
  return {
    t,
    language,
    sayAll: (said: readonly Words[], english: string) => sayAll(language, said, english),
    say: (w: Words) => say(language, w.code, w.params, w.text),
    problem: (p: Problem) => told(language, p),
    fact: (one: Told) => told(language, one),
  };
}
