import { expect, test } from 'vitest';
import { toCallError } from './errors';
import { withLists } from './lists';

test('what Go writes as null is a list behind the bridge', () => {
  const raw = {
    server: {
      name: 'demo',
      tools: { list: null, row: null, panel: { code: 'a', params: null, text: 't' }, patterns: null, problems: [{ code: 'x', params: null }] },
      live: { known: false, unmatched: null, new: null },
      problems: null,
    },
    revision: 'r1',
    tree: null,
    tools: [{ name: 'a', reason: null }],
    log: null,
  };
  const detail = withLists('Server', raw);
  expect(detail.tree).toBe('');
  expect(detail.log).toEqual([]);
  expect(detail.server.tools.patterns).toEqual([]);
  expect(detail.server.tools.panel).toEqual({ code: 'a', params: [], text: 't' });
  expect(detail.server.tools.problems[0]?.params).toEqual([]);
  expect(detail.server.live.unmatched).toEqual([]);
  expect(detail.server.live.new).toEqual([]);
  expect(detail.tools[0]?.reason).toEqual({ code: '', params: [], text: '' });
  expect(withLists('Sessions', null)).toEqual([]);
  expect(withLists('Servers', { config: { path: '', revision: '', problems: null }, servers: null })).toEqual({
    config: { path: '', revision: '', problems: [] },
    servers: [],
  });
});

test('an error is read whatever shape it comes in', () => {
  const shape = { code: 'refused', message: 'no', hint: 'so', file: 'f', line: 1, column: 2 };
  expect(toCallError(shape)).toMatchObject(shape);
  expect(toCallError(JSON.stringify(shape))).toMatchObject(shape);
  expect(toCallError('a sentence')).toMatchObject({ code: 'failed', message: 'a sentence' });
  expect(toCallError({ code: 'new', message: 'm' })).toMatchObject({ code: 'failed', message: 'm' });
  expect(toCallError(null).message).not.toBe('');
});
