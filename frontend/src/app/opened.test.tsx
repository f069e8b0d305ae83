import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, test } from 'vitest';
import type { PolicyState } from '@/app/policy';
import { detailOf, overviewOf, Program, realPolicy } from '@/testing/scenario';
import { showPage } from '@/testing/render';

let ready: PolicyState;

beforeAll(async () => {
  ready = { state: 'ready', policy: await realPolicy() };
});

const opened = (tool: string, line: number) => ({
  severity: 'warning',
  code: 'server.opened',
  params: ['demo', tool],
  message: `opened: demo/${tool} (config.yaml:${line})`,
  hint: '',
  file: '/home/config.yaml',
  line,
  column: 1,
});
const other = { ...opened('x', 1), code: 'server.other', message: 'something else' };

test('what was opened from outside is said until it is noted, and again when it happens again', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  program.overview = overviewOf({ notices: [other, opened('read_file', 12)] });
  showPage(program.transport, ready);
  const notice = await screen.findByRole('alert');
  expect(within(notice).getAllByRole('listitem').map((item) => item.textContent)).toEqual(['demo/read_file (config.yaml:12)']);
  await userEvent.click(within(notice).getByRole('button', { name: 'Dismiss this notice' }));
  expect(screen.queryByRole('alert')).toBeNull();
  program.overview = overviewOf({ notices: [opened('read_file', 12), opened('write_file', 13), opened('read_file', 12)] });
  act(() => program.transport.signal({ topic: 'config', revision: 'r7' }));
  await waitFor(() => expect(within(screen.getByRole('alert')).getAllByRole('listitem')).toHaveLength(2));
});

test('what was dismissed stays away after the page is loaded anew, and is told when it happens again', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  program.overview = overviewOf({ notices: [opened('read_file', 12)] });
  showPage(program.transport, ready);
  expect((await screen.findByRole('alert')).textContent).toContain('Opened by a change of the file · Not made on this page');
  await userEvent.click(screen.getByRole('button', { name: 'Dismiss this notice' }));
  cleanup();
  showPage(program.transport, ready);
  await screen.findByRole('article', { name: 'demo' });
  expect(screen.queryByRole('alert')).toBeNull();
  // The program tells it no more: it goes, and counts anew when it comes.
  program.overview = overviewOf({ notices: [] });
  act(() => program.transport.signal({ topic: 'config', revision: 'r7' }));
  await waitFor(() => expect(window.sessionStorage.getItem('hermes.opened.noted')).toBe('[]'));
  program.overview = overviewOf({ notices: [opened('read_file', 12)] });
  act(() => program.transport.signal({ topic: 'config', revision: 'r7' }));
  expect(await screen.findByRole('alert')).toBeTruthy();
});
