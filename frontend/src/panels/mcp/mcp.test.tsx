import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, test } from 'vitest';
import type { PolicyState } from '@/app/policy';
import { CallError, type EditResult } from '@/bridge';
import { detailOf, hold, overviewOf, Program, realPolicy } from '@/testing/scenario';
import { showPage } from '@/testing/render';

let ready: PolicyState;

beforeAll(async () => {
  ready = { state: 'ready', policy: await realPolicy() };
});

const words = { code: '', params: [], text: '' };
const done = (revision: string): EditResult => ({ server: 'demo', revision, changed: true, before: words, after: words, warnings: [] });
const toggle = (name: string) => screen.findByRole('switch', { name: `Allow ${name}` });
const isOn = (element: HTMLElement) => element.getAttribute('aria-checked') === 'true';

test('the switches say what the policy module says', async () => {
  // The host's word is wrong on purpose: the page must not believe it.
  const detail = detailOf('two names', 'demo', 'r7');
  detail.tools = detail.tools.map((tool) => ({ ...tool, allowed: true }));
  const program = new Program(detail);
  showPage(program.transport, ready);
  expect(isOn(await toggle('read_file'))).toBe(true);
  expect(isOn(await toggle('list_dir'))).toBe(true);
  expect(isOn(await toggle('write_file'))).toBe(false);
  expect((await screen.findAllByText('2 of 4 on, new ones stay off')).length).toBeGreaterThan(0);
});

test('switching the last tool off sends off with the revision seen', async () => {
  const program = new Program(detailOf('include as one string', 'demo', 'r7'));
  const answer = hold<EditResult>();
  program.transport.answers.SetTool = () => answer.promise;
  showPage(program.transport, ready);
  const read = await toggle('read_file');
  await userEvent.click(read);
  expect(program.transport.calls('SetTool')).toEqual([[{ server: 'demo', tool: 'read_file', on: false, expand: false, revision: 'r7' }]]);
  // Painted at once, with the sentence as it would be.
  expect(isOn(read)).toBe(false);
  expect(await screen.findByText('Locked - 0 of 4')).toBeTruthy();
  program.details = [detailOf('the empty list', 'demo', 'r8')];
  await act(async () => answer.settle(done('r8')));
  await waitFor(() => expect(read.getAttribute('aria-busy')).toBeNull());
  expect(isOn(read)).toBe(false);
  expect(screen.getAllByText('off, list is empty')).toHaveLength(4);
});

test('a conflict takes the paint off and says so', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  const answer = hold<EditResult>();
  program.transport.answers.SetTool = () => answer.promise;
  showPage(program.transport, ready);
  const read = await toggle('read_file');
  await userEvent.click(read);
  expect(isOn(read)).toBe(false);
  await act(async () => answer.fail(new CallError('conflict', 'the file changed since revision r7')));
  await waitFor(() => expect(isOn(read)).toBe(true));
  expect((await screen.findByRole('alert')).textContent).toContain('the file changed meanwhile');
  await userEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(screen.queryByRole('alert')).toBeNull();
});

test('a tool held by a pattern is refused, and the offer sends the same wish with expand', async () => {
  const detail = detailOf('two names', 'demo', 'r7');
  detail.tools = detail.tools.map((tool) => (tool.name === 'read_file' ? { ...tool, held_by: 'read_*' } : tool));
  const program = new Program(detail);
  program.transport.answers.SetTool = (edit) => {
    if (edit.expand) return done('r8');
    throw new CallError('refused', 'read_file is held on by the pattern read_* in the list', 'change the pattern', '/home/config.yaml', 4, 18);
  };
  showPage(program.transport, ready);
  await userEvent.click(await toggle('read_file'));
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('/home/config.yaml:4:18');
  await userEvent.click(within(alert).getByRole('button', { name: /Replace read_\*/ }));
  const sent = program.transport.calls('SetTool').map(([edit]) => edit);
  expect(sent).toMatchObject([
    { on: false, expand: false },
    { on: false, expand: true },
  ]);
});

test('clicks in a row state results one after the other, on the revision their forerunner left', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  const answers = [hold<EditResult>(), hold<EditResult>()];
  let asked = 0;
  program.transport.answers.SetTool = () => (answers[asked++] ?? hold<EditResult>()).promise;
  showPage(program.transport, ready);
  await userEvent.click(await toggle('read_file'));
  await userEvent.click(await toggle('list_dir'));
  expect(program.transport.calls('SetTool')).toHaveLength(1);
  await act(async () => answers[0]?.settle(done('r8')));
  await waitFor(() => expect(program.transport.calls('SetTool')).toHaveLength(2));
  expect(program.transport.calls('SetTool')[1]).toEqual([{ server: 'demo', tool: 'list_dir', on: false, expand: false, revision: 'r8' }]);
});

test('an answer of the past is dropped', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  showPage(program.transport, ready);
  const read = await toggle('read_file');
  expect(isOn(read)).toBe(true);
  // A question goes out; while its answer is on its way, the file changes.
  const old = detailOf('two names', 'demo', 'r7');
  const slow = hold<typeof old>();
  let asked = 0;
  program.transport.answers.Server = () => (++asked === 1 ? slow.promise : detailOf('the empty list', 'demo', 'r8'));
  program.details = [detailOf('the empty list', 'demo', 'r8')];
  act(() => program.transport.signal({ topic: 'servers' }));
  await waitFor(() => expect(asked).toBe(1));
  act(() => program.transport.signal({ topic: 'config', revision: 'r8' }));
  await act(async () => slow.settle(old));
  await waitFor(() => expect(isOn(read)).toBe(false));
  expect(isOn(await toggle('list_dir'))).toBe(false);
});

test('without the policy module nothing is shown as enabled and nothing can be switched', async () => {
  const program = new Program(detailOf('no tools key', 'demo', 'r7'));
  showPage(program.transport, { state: 'failed', message: 'the module is missing' });
  expect((await screen.findByRole('alert')).textContent).toContain('Nothing is shown as enabled');
  for (const one of await screen.findAllByRole('switch')) {
    expect(isOn(one)).toBe(false);
    expect(one.getAttribute('aria-disabled')).toBe('true');
    await userEvent.click(one);
  }
  expect(screen.getAllByText('unknown')).toHaveLength(4);
  expect(program.transport.calls('SetTool')).toEqual([]);
  expect(document.body.textContent).not.toContain('all 4 on');
  expect(program.transport.calls('Report')).toMatchObject([[{ policy_loaded: false, policy_error: 'the module is missing' }]]);
});

test('an invalid server shows what is wrong, where, and what to write; no switch works', async () => {
  const program = new Program(detailOf('include number', 'demo', 'r7'));
  showPage(program.transport, ready);
  const problems = await screen.findByRole('list', { name: 'Problems' });
  expect(problems.textContent).toMatch(/config\.yaml:\d+:\d+/);
  expect((await toggle('read_file')).getAttribute('aria-disabled')).toBe('true');
});

test('opening asks first, with the words of before and after', async () => {
  const program = new Program(detailOf('the empty list', 'demo', 'r7'));
  program.transport.answers.Open = () => done('r8');
  showPage(program.transport, ready);
  await userEvent.click(await screen.findByRole('button', { name: 'Open…' }));
  const dialog = await screen.findByRole('alertdialog');
  expect(dialog.textContent).toContain('No filter - all 4 on, new ones too');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
  expect(program.transport.calls('Open')).toEqual([]);
  await userEvent.click(screen.getByRole('button', { name: 'Open…' }));
  await userEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Open all tools' }));
  expect(program.transport.calls('Open')).toEqual([[{ server: 'demo', revision: 'r7' }]]);
});

test('a locked server can be looked at; locking states the revision', async () => {
  const program = new Program(detailOf('the empty list', 'demo', 'r7'), detailOf('no tools key', 'open', 'r7'));
  program.transport.answers.Look = () => program.details[0] ?? detailOf('the empty list', 'demo', 'r7');
  program.transport.answers.Lock = () => done('r8');
  showPage(program.transport, ready);
  await userEvent.click(await screen.findByRole('button', { name: 'Look at its tools' }));
  expect(program.transport.calls('Look')).toEqual([['demo']]);
  await userEvent.click(screen.getByRole('button', { name: /^open/ }));
  await userEvent.click(await screen.findByRole('button', { name: 'Lock' }));
  expect(program.transport.calls('Lock')).toEqual([[{ server: 'open', revision: 'r7' }]]);
});

test('the search narrows the tools and says how many are left', async () => {
  showPage(new Program(detailOf('two names', 'demo', 'r7')).transport, ready);
  await toggle('read_file');
  await userEvent.type(screen.getByRole('searchbox', { name: 'Search tools' }), 'FILE');
  expect(screen.getAllByRole('switch')).toHaveLength(2);
  expect(screen.getByText('2 of 4')).toBeTruthy();
  await userEvent.keyboard('{Escape}');
  expect(screen.getAllByRole('switch')).toHaveLength(4);
});

test('a first look shows the programs and starts them on a click only', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  program.overview = overviewOf({
    started: false,
    programs: [
      { server: 'demo', kind: 'stdio', target: 'node server.js', starts: true, reason: '', env_keys: ['API_KEY'] },
      { server: 'vault', kind: 'stdio', target: 'node vault.js', starts: false, reason: 'it is locked', env_keys: [] },
    ],
  });
  program.transport.answers.Start = () => undefined;
  showPage(program.transport, ready);
  const first = await screen.findByRole('region', { name: 'Nothing has been started yet' });
  expect(first.textContent).toContain('API_KEY');
  expect(first.textContent).toContain('it is locked');
  expect(program.transport.calls('Start')).toEqual([]);
  await userEvent.click(within(first).getByRole('button', { name: 'Start 1 server' }));
  expect(program.transport.calls('Start')).toHaveLength(1);
});

test('the demo says what it is and offers the own home', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  program.overview = overviewOf({ demo: true, user_home: '/home/.hermes', user_home_exists: true });
  program.transport.answers.UseHome = () => overviewOf();
  showPage(program.transport, ready);
  await userEvent.click(await screen.findByRole('button', { name: 'Use /home/.hermes' }));
  expect(program.transport.calls('UseHome')).toHaveLength(1);
});

test('up and down walk through the servers', async () => {
  const program = new Program(detailOf('two names', 'one', 'r7'), detailOf('the empty list', 'two', 'r7'));
  showPage(program.transport, ready);
  (await screen.findByRole('button', { name: /^one/ })).focus();
  await userEvent.keyboard('{ArrowDown}');
  expect(screen.getByRole('button', { name: /^two/ }).getAttribute('aria-current')).toBe('true');
  expect(await screen.findByRole('article', { name: 'two' })).toBeTruthy();
});
