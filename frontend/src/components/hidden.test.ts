import { expect, test } from 'vitest';
import { piecesOf, plain } from './hidden';

const hidden = (text: string) => piecesOf(text).filter((piece) => piece.hidden).map((piece) => piece.text);

test('a character that nobody sees is told, as itself and in every way it is written', () => {
  expect(hidden('a\u200bb')).toEqual(['\\u{200B}']);
  expect(hidden(String.raw`a\u{200B}b`)).toEqual(['\\u{200B}']);
  expect(hidden(String.raw`"a\u200bb"`)).toEqual(['\\u{200B}']);
  expect(hidden(String.raw`a\U000e0041b\x1bc`)).toEqual(['\\u{E0041}', '\\u{1B}']);
  expect(plain(String.raw`a\u200bb`)).toBe('a\\u{200B}b');
});

test('what can be seen is left as it was written', () => {
  expect(piecesOf(String.raw`caf\u00e9 \n C:\users\x41`)).toEqual([{ text: String.raw`caf\u00e9 \n C:\users\x41`, hidden: false }]);
});
