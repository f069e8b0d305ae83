import { expect, test } from 'vitest';
import { CallError, type EditResult, type ToolEdit } from '@/bridge';
import { FakeTransport } from '@/bridge/fake';
import { Edits, keyOf } from './edits';
import { fresh, Revisions } from './revisions';

const words = { code: '', params: [], text: '' };

/** A file whose revision changes with each edit and that compares before it writes. */
function program() {
  const state = { revision: 'r1', next: 2, seen: [] as string[] };
  const answer = (revision: string): EditResult => {
    state.seen.push(revision);
    if (revision !== state.revision) throw new CallError('conflict', 'changed');
    state.revision = `r${state.next++}`;
    return { server: 'a', revision: state.revision, changed: true, before: words, after: words, warnings: [] };
  };
  const transport = new FakeTransport({ SetTool: (edit) => answer(edit.revision), Lock: (edit) => answer(edit.revision) });
  return { state, transport };
}

const edit = (tool: string, on: boolean, revision: string): ToolEdit => ({ server: 'a', tool, on, expand: false, revision });

test('a burst seen at one revision is one chain of own edits', async () => {
  const { state, transport } = program();
  const edits = new Edits(transport, async () => {});
  await Promise.all([edits.setTool(edit('x', true, 'r1')), edits.setTool(edit('y', true, 'r1')), edits.setTool(edit('x', false, 'r1')), edits.lock('a', 'r1')]);
  expect(state.seen).toEqual(['r1', 'r2', 'r3', 'r4']);
  expect(edits.get().failures.size).toBe(0);
  expect(edits.get().pending.size).toBe(0);
});

test('a change from outside between two own edits is a conflict, not written over', async () => {
  const { state, transport } = program();
  const edits = new Edits(transport, async () => {
    // Another program writes right after our first edit.
    if (state.revision === 'r2') state.revision = 'other';
  });
  await Promise.all([edits.setTool(edit('x', true, 'r1')), edits.setTool(edit('y', true, 'r1'))]);
  expect(state.revision).toBe('other');
  expect(edits.get().failures.get(keyOf({ server: 'a', tool: 'y' }))?.error.code).toBe('conflict');
  expect(edits.get().failures.has(keyOf({ server: 'a', tool: 'x' }))).toBe(false);
});

test('after a burst an old revision is an old revision again', async () => {
  const { state, transport } = program();
  const edits = new Edits(transport, async () => {});
  await edits.setTool(edit('x', true, 'r1'));
  await edits.setTool(edit('y', true, 'r1'));
  expect(state.seen).toEqual(['r1', 'r1']);
  expect(edits.get().failures.size).toBe(1);
});

test('the paint of a written result stays until the answer shows it', async () => {
  const { transport } = program();
  let painted = false;
  const edits: Edits = new Edits(transport, async () => {
    painted = edits.get().pending.get(keyOf({ server: 'a', tool: 'x' })) === false;
  });
  await edits.setTool(edit('x', false, 'r1'));
  expect(painted).toBe(true);
  expect(edits.get().pending.size).toBe(0);
});

test('an answer is of the past when another revision was heard of meanwhile', async () => {
  const revisions = new Revisions();
  revisions.learn('r1');
  const answers = ['r1', 'r2'];
  const got = await fresh(
    revisions,
    async () => {
      const answer = answers.shift() ?? '';
      if (answer === 'r1') revisions.learn('r2');
      return answer;
    },
    (answer) => answer,
  );
  expect(got).toBe('r2');
});

test('a file that was changed back is not of the past', () => {
  const revisions = new Revisions();
  for (const revision of ['r1', 'r2', 'r1']) revisions.learn(revision);
  const mark = revisions.mark() - 1;
  expect(revisions.outdated(mark, 'r1')).toBe(false);
  expect(revisions.outdated(mark, 'r2')).toBe(true);
});
