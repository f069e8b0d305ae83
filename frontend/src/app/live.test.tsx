import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, test, vi } from 'vitest';
import type { PolicyState } from '@/app/policy';
import { CallError } from '@/bridge';
import { detailOf, hold, overviewOf, Program, realPolicy } from '@/testing/scenario';
import { showPage } from '@/testing/render';

let ready: PolicyState;

beforeAll(async () => {
  ready = { state: 'ready', policy: await realPolicy() };
});

const reloaded = { revision: 'r8', changed: ['demo'], retried: ['hub'], tools: 24, servers: 3 };
const problem = (code: string, line: number) => ({
  severity: 'error',
  code,
  params: [],
  message: 'did not find expected key',
  hint: 'look again later',
  file: '/home/config.yaml',
  line,
  column: line && 5,
});

test('a reload by the button says what it did, once at a time', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  const answer = hold<typeof reloaded>();
  program.transport.answers.ReloadNow = () => answer.promise;
  showPage(program.transport, ready);
  const button = await screen.findByRole('button', { name: 'Reload now' });
  await userEvent.click(button);
  await userEvent.click(button);
  expect(button.getAttribute('aria-busy')).toBe('true');
  await act(async () => answer.settle(reloaded));
  expect((await screen.findByRole('alert')).textContent).toBe('Reloaded · 3 servers, 24 tools. Changed: demo. Tried again: hub.');
  expect(program.transport.calls('ReloadNow')).toHaveLength(1);
  await userEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(screen.queryByRole('alert')).toBeNull();
});

test('/reload-mcp in the chat does the same and asks no model; a failure is said', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  program.transport.answers.ReloadNow = () => {
    throw new CallError('failed', 'the file cannot be read', 'mend it');
  };
  showPage(program.transport, ready);
  await userEvent.click(await screen.findByRole('button', { name: 'Chat' }));
  await userEvent.type(await screen.findByRole('textbox', { name: 'Message' }), ' /reload-mcp {Enter}');
  expect((await screen.findByRole('alert')).textContent).toContain('Not reloaded · the file cannot be read');
  expect(program.transport.calls('ChatSend')).toEqual([]);
  expect(program.transport.calls('ReloadNow')).toHaveLength(1);
});

test('coming back to the page lets the program look at the file, once', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  showPage(program.transport, ready);
  await screen.findByRole('navigation');
  const clock = vi.spyOn(performance, 'now').mockReturnValue(10_000);
  act(() => {
    document.dispatchEvent(new Event('visibilitychange'));
    window.dispatchEvent(new Event('focus'));
  });
  expect(program.transport.calls('Glance')).toHaveLength(1);
  clock.mockReturnValue(20_000);
  act(() => void window.dispatchEvent(new Event('focus')));
  expect(program.transport.calls('Glance')).toHaveLength(2);
  const hidden = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  clock.mockReturnValue(30_000);
  act(() => void document.dispatchEvent(new Event('visibilitychange')));
  expect(program.transport.calls('Glance')).toHaveLength(2);
  hidden.mockRestore();
});

test('a broken file has one banner with its place, in both places, and it goes', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  const broken = problem('file.broken', 5);
  program.overview = overviewOf({ notices: [broken], programs: [{ server: 'demo', kind: 'stdio', target: 'x', starts: true, reason: '', env_keys: [] }] });
  program.problems = [broken];
  showPage(program.transport, ready);
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('The file cannot be read');
  expect(alert.textContent).toContain('/home/config.yaml:5:5');
  expect(alert.textContent).toContain('did not find expected key');
  expect(alert.textContent).toContain('what it read last');
  await screen.findByRole('switch', { name: 'Allow read_file' });
  expect(screen.getAllByText(/did not find expected key/)).toHaveLength(1);
  await userEvent.click(screen.getByRole('button', { name: 'Chat' }));
  expect(screen.getAllByRole('alert')).toHaveLength(1);
  program.overview = overviewOf();
  program.problems = [];
  act(() => program.transport.signal({ topic: 'config', revision: 'r7' }));
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});

test('a file that was never read says that all is locked', async () => {
  const program = new Program();
  program.overview = overviewOf({ notices: [problem('file.broken', 5)] });
  showPage(program.transport, ready, 'de');
  expect((await screen.findByRole('alert')).textContent).toContain('deshalb ist alles gesperrt');
});

test('a file system that tells nothing has a banner, too', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  program.overview = overviewOf({ notices: [{ ...problem('watch.deaf', 0), severity: 'warning' }] });
  showPage(program.transport, ready);
  const alert = await screen.findByRole('alert');
  expect(within(alert).getByText('Changes of the file are not told')).toBeTruthy();
});

test('a first start on a file that cannot be read says so and offers nothing to start', async () => {
  const program = new Program();
  program.overview = overviewOf({ started: false, notices: [problem('file.broken', 5)] });
  showPage(program.transport, ready);
  const main = await screen.findByRole('main');
  await waitFor(() => expect(main.textContent).toContain('The file cannot be read'));
  expect(main.textContent).toContain('/home/config.yaml:5:5');
  expect(main.textContent).toContain('everything is locked');
  expect(document.body.textContent).not.toContain('These entries stand');
  expect(document.body.textContent).not.toContain('No servers are configured');
  expect(screen.queryByRole('button', { name: 'Go on' })).toBeNull();
});

test('what a reload did goes with the next change of the file, and on the way elsewhere', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'), detailOf('no tools key', 'open', 'r7'));
  program.transport.answers.ReloadNow = () => reloaded;
  showPage(program.transport, ready);
  await userEvent.click(await screen.findByRole('button', { name: 'Reload now' }));
  await screen.findByRole('alert');
  // Its own change is told after it.
  act(() => program.transport.signal({ topic: 'config', revision: 'r8' }));
  expect(screen.getByRole('alert').textContent).toContain('Reloaded');
  act(() => program.transport.signal({ topic: 'config', revision: 'r9' }));
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  for (const there of [/^Chat/, /^open/]) {
    await userEvent.click(screen.getByRole('button', { name: 'Reload now' }));
    await screen.findByRole('alert');
    await userEvent.click(screen.getByRole('button', { name: there }));
    expect(screen.queryByText('Reloaded')).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'MCP' }));
  }
});

test('what was not written is not said any more once the file is another one', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  program.transport.answers.SetTool = () => {
    throw new CallError('refused', 'the file cannot be read as it is', 'mend it');
  };
  showPage(program.transport, ready);
  await userEvent.click(await screen.findByRole('switch', { name: 'Allow read_file' }));
  expect((await screen.findByRole('alert')).textContent).toContain('Not written');
  act(() => program.transport.signal({ topic: 'config', revision: 'r7' }));
  expect(screen.getByRole('alert')).toBeTruthy();
  act(() => program.transport.signal({ topic: 'config', revision: 'r8' }));
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});
