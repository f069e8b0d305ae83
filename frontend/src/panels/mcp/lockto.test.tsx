import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, test } from 'vitest';
import type { PolicyState } from '@/app/policy';
import { CallError, type EditResult } from '@/bridge';
import { detailOf, hold, Program, realPolicy } from '@/testing/scenario';
import { showPage } from '@/testing/render';

let ready: PolicyState;

beforeAll(async () => {
  ready = { state: 'ready', policy: await realPolicy() };
});

const words = { code: '', params: [], text: '' };
const done: EditResult = { server: 'demo', revision: 'r8', changed: true, before: words, after: words, warnings: [] };
const button = () => screen.findByRole('button', { name: 'Lock to the current selection…' });

test('what is on now becomes the whitelist, after a question that says what happens', async () => {
  const program = new Program(detailOf('exclude one', 'demo', 'r7'));
  program.transport.answers.Select = () => done;
  showPage(program.transport, ready);
  const on = (await screen.findAllByRole('switch')).filter((one) => one.getAttribute('aria-checked') === 'true');
  const names = on.map((one) => one.getAttribute('aria-label')?.replace('Allow ', ''));
  expect(names.length).toBeGreaterThan(0);
  await userEvent.click(await button());
  const dialog = await screen.findByRole('alertdialog', { name: `Lock demo to these ${names.length} tools?` });
  expect(dialog.textContent).toContain('also tools the server adds later');
  expect(dialog.textContent).toContain('new ones stay off');
  expect(within(dialog).getAllByRole('listitem').map((item) => item.textContent)).toEqual(names);
  await userEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
  expect(program.transport.calls('Select')).toEqual([]);
  await userEvent.click(await button());
  await userEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Lock to these' }));
  expect(program.transport.calls('Select')).toEqual([[{ server: 'demo', on: names, off: [], lock_to: true, expand: false, revision: 'r7' }]]);
});

test('a file that changes under the question is a conflict, not another selection', async () => {
  const program = new Program(detailOf('no tools key', 'demo', 'r7'));
  program.transport.answers.Select = () => {
    throw new CallError('conflict', 'the file changed since revision r7');
  };
  showPage(program.transport, ready);
  await userEvent.click(await button());
  const dialog = await screen.findByRole('alertdialog');
  program.details = [detailOf('two names', 'demo', 'r8')];
  act(() => program.transport.signal({ topic: 'config', revision: 'r8' }));
  await waitFor(() => expect(screen.getAllByText('2 of 4 on, new ones stay off').length).toBeGreaterThan(0));
  await userEvent.click(within(dialog).getByRole('button', { name: 'Lock to these' }));
  expect(program.transport.calls('Select')).toMatchObject([[{ revision: 'r7' }]]);
  expect((await screen.findByRole('alert')).textContent).toContain('the file changed meanwhile');
});

test('it waits while a switch is on its way', async () => {
  const program = new Program(detailOf('no tools key', 'demo', 'r7'));
  const answer = hold<EditResult>();
  program.transport.answers.SetTool = () => answer.promise;
  showPage(program.transport, ready);
  await userEvent.click(await screen.findByRole('switch', { name: 'Allow read_file' }));
  expect((await button()).hasAttribute('disabled')).toBe(true);
  await act(async () => answer.settle(done));
  await waitFor(async () => expect((await button()).hasAttribute('disabled')).toBe(false));
});

test.each(['two names', 'the empty list', 'include number'])('it is not offered where it would change nothing: %s', async (row) => {
  showPage(new Program(detailOf(row, 'demo', 'r7')).transport, ready);
  await screen.findAllByRole('switch');
  expect(screen.queryByRole('button', { name: 'Lock to the current selection…' })).toBeNull();
});
