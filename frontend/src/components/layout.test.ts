import { expect, test } from 'vitest';
import { laidOut } from './layout';

test('arguments are set out over lines, and nothing in them changes', () => {
  expect(laidOut('{"a":1,"b":[true,{"c":"x, y"}],"d":{},"e":[ ]}')).toBe('{\n  "a": 1,\n  "b": [\n    true,\n    {\n      "c": "x, y"\n    }\n  ],\n  "d": {},\n  "e": []\n}');
});

test('what a parser would hide stays: twins, long numbers, escapes', () => {
  expect(laidOut('{"path":"a","path":"/etc"}')).toBe('{\n  "path": "a",\n  "path": "/etc"\n}');
  expect(laidOut('{"n":12345678901234567890.10}')).toBe('{\n  "n": 12345678901234567890.10\n}');
  expect(laidOut(String.raw`{"t":"a\u200bb\"}, \\"}`)).toBe('{\n  "t": ' + String.raw`"a\u200bb\"}, \\"` + '\n}');
  expect(laidOut(String.raw`{"t":"a\u{200B}b"}`)).toContain(String.raw`a\u{200B}b`);
});

test('what is no JSON is shown all the same', () => {
  expect(laidOut('no json')).toBe('no json');
  expect(laidOut('{"a":')).toBe('{\n  "a": ');
  expect(laidOut('')).toBe('');
});
