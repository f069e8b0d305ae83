import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '@/testing/scenario';
import { realPolicy } from '@/testing/scenario';
import { fill } from './fill';
import { say, sayAll } from './index';
import { factTexts, languages, pageTexts, policyTexts, type Language } from './languages';

const all = Object.keys(languages) as Language[];

function flat(texts: object, prefix = ''): Map<string, string> {
  const out = new Map<string, string>();
  for (const [key, value] of Object.entries(texts)) {
    if (typeof value === 'string') out.set(prefix + key, value);
    else for (const [k, v] of flat(value as object, `${prefix}${key}.`)) out.set(k, v);
  }
  return out;
}

const places = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map((m) => m[1]).sort();
const policyPlaces = (text: string) => [...new Set([...text.matchAll(/\{(k?\d)(?::[^}]*)?\}/g)].map((m) => m[1]?.replace('k', '')))].sort();

test('every text of the page is there in every language, with the same places', () => {
  const english = flat(pageTexts.en);
  for (const language of all) {
    const texts = flat(pageTexts[language]);
    expect([...texts.keys()].sort(), language).toEqual([...english.keys()].sort());
    for (const [key, text] of texts) {
      expect(text.trim(), `${language} ${key}`).not.toBe('');
      expect(places(text), `${language} ${key}`).toEqual(places(english.get(key) ?? ''));
    }
  }
});

test('every code the policy can produce is there in every language, and the English is its own', async () => {
  const codes = (await realPolicy()).codes();
  expect(codes.length).toBeGreaterThan(100);
  for (const language of all) {
    const texts = policyTexts[language];
    expect(Object.keys(texts).sort(), language).toEqual(codes.map((one) => one.code).sort());
    for (const { code, text } of codes) {
      expect(policyPlaces(texts[code] ?? ''), `${language} ${code}`).toEqual(policyPlaces(text));
    }
  }
  expect(Object.fromEntries(codes.map(({ code, text }) => [code, text]))).toEqual(policyTexts.en);
});

test('the facts are there in every language but the one they come in', () => {
  const keys = Object.keys(factTexts.de).sort();
  expect(Object.keys(factTexts.es).sort()).toEqual(keys);
  expect(factTexts.en).toEqual({});
  for (const key of keys) {
    expect(Object.hasOwn(policyTexts.en, key), key).toBe(false);
    expect(policyPlaces(factTexts.es[key] ?? ''), key).toEqual(policyPlaces(factTexts.de[key] ?? ''));
  }
});

test('what is said about Hermes Agent has its places in every language', () => {
  const source = readFileSync(join(repository, 'backend/policy/agent_text.go'), 'utf8');
  const said = [...source.matchAll(/^((?:agent|now|fix)\.\w+)\t(.*)$/gm)];
  expect(said.length).toBeGreaterThan(10);
  for (const [, code = '', text = ''] of said) {
    expect(policyPlaces(factTexts.de[code] ?? 'missing {9}'), code).toEqual(policyPlaces(text));
  }
});

test('everything the program says of a turn by code is there in every language', () => {
  const source = readFileSync(join(repository, 'backend/message/saying_text.go'), 'utf8');
  const constants = [...source.matchAll(/Code = "([\w.]+)"/g)].map(([, code]) => code ?? '');
  const said = new Map([...source.matchAll(/^([\w]+\.[\w]+)\t(.*)$/gm)].map(([, code = '', text = '']) => [code, text]));
  expect(constants.length).toBeGreaterThan(90);
  expect([...said.keys()].sort()).toEqual(constants.sort());
  for (const language of all.filter((one) => one !== 'en')) {
    for (const [code, text] of said) {
      // What stands in {*n} follows as a saying of its own.
      expect(policyPlaces(factTexts[language][code] ?? 'missing {9}'), `${language} ${code}`).toEqual(policyPlaces(text));
    }
  }
});

test('what is said is said piece by piece, and in English as it came', () => {
  const said = [
    { code: 'server.missing', params: ['git', 'starting'], text: 'server git is not ready: starting; going on without it' },
    { code: 'state.starting', params: [], text: 'starting' },
    { code: '', params: [], text: 'something else' },
  ];
  expect(sayAll('de', said, 'as it came')).toBe('Der Server git ist nicht bereit; es geht ohne ihn weiter. Er startet noch. something else');
  expect(sayAll('en', said, 'as it came')).toBe('as it came');
  expect(sayAll('de', [{ code: '', params: [], text: 'x' }], 'as it came')).toBe('as it came');
  expect(sayAll('es', [], 'as it came')).toBe('as it came');
});

test('texts are filled as the policy fills them', () => {
  const kind = (name: string) => `<${name}>`;
  expect(fill('{1:tool|tools} of {0}', ['demo', '1'], kind)).toBe('tool of demo');
  expect(fill('{1:tool|tools}', ['demo', '2'], kind)).toBe('tools');
  expect(fill('is {k0}', ['null'], kind)).toBe('is <null>');
  expect(fill('tools: {include: [name, ...]} {0}', ['x'], kind)).toBe('tools: {include: [name, ...]} x');
  expect(fill('{3}', [], kind)).toBe('');
});

test('a code is said in the language; an unknown one in the words that came', () => {
  expect(say('de', 'panel.locked', ['12'], 'Locked - 0 of 12')).toBe('Gesperrt – 0 von 12');
  expect(say('es', 'panel.locked', ['12'], 'Locked - 0 of 12')).toBe('Bloqueado: 0 de 12');
  expect(say('de', 'not.there', [], 'As it came')).toBe('As it came');
  expect(say('de', 'toString', [], 'As it came')).toBe('As it came');
  expect(say('fr', 'panel.locked', ['12'], 'As it came')).toBe('As it came');
});

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

test('every text that the page asks for exists, and every text is asked for', () => {
  const known = [...flat(pageTexts.en).keys()].map((key) => key.replace(/_(one|other)$/, ''));
  const asked = new Set<string>();
  const families: RegExp[] = [];
  for (const path of sources(join(repository, 'frontend/src'))) {
    if (/\.test\.|\/policy\/|\/testing\//.test(path)) continue;
    const text = readFileSync(path, 'utf8');
    for (const [, key = ''] of text.matchAll(/\bt\('([^']+)'/g)) asked.add(key);
    for (const [, key = ''] of text.matchAll(/\bt\(`([^`]+)`/g)) {
      families.push(new RegExp(`^${key.replaceAll('.', '\\.').replace(/\$\{[^}]*\}/g, '\\w+')}$`));
    }
  }
  expect([...asked].filter((key) => !known.includes(key))).toEqual([]);
  expect(known.filter((key) => !asked.has(key) && !families.some((family) => family.test(key)))).toEqual([]);
});
