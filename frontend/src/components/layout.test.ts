import { expect, test } from 'vitest';
import { laidOut } from './layout';

const long = 'x'.repeat(60);

test('arguments are set out over lines, short parts in one, and nothing in them changes', () => {
  expect(laidOut('{"path":"notes.txt","lines":[1, 2]}')).toBe('{"path": "notes.txt", "lines": [1, 2]}');
  expect(laidOut(`{"a":"${long}","b":[true,{"c":"x, y"}],"d":{},"e":[ ]}`)).toBe(`{\n  "a": "${long}",\n  "b": [true, {"c": "x, y"}],\n  "d": {},\n  "e": []\n}`);
});

test('what a parser would hide stays: twins, long numbers, escapes', () => {
  expect(laidOut('{"path":"a","path":"/etc"}')).toBe('{"path": "a", "path": "/etc"}');
  expect(laidOut('{"n":12345678901234567890.10}')).toBe('{"n": 12345678901234567890.10}');
  expect(laidOut(String.raw`{"t":"a\u200bb\"}, \\"}`)).toBe(String.raw`{"t": "a\u200bb\"}, \\"}`);
  expect(laidOut(String.raw`{"t":"a\u{200B}b","u":"${long}"}`)).toContain(String.raw`"a\u{200B}b",` + '\n');
});

test('what is no JSON is shown all the same', () => {
  expect(laidOut('no json')).toBe('no json');
  expect(laidOut('{"a":')).toBe('{\n  "a": ');
  expect(laidOut('{"a":"cut')).toBe('{\n  "a": "cut');
  expect(laidOut('')).toBe('');
});
