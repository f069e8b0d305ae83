import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, test } from 'vitest';
import type { PolicyState } from '@/app/policy';
import { plain } from '@/components';
import { detailOf, Program, realPolicy } from '@/testing/scenario';
import { showPage } from '@/testing/render';

let ready: PolicyState;

beforeAll(async () => {
  ready = { state: 'ready', policy: await realPolicy() };
});

const hidden = /[\u200b\u202e\u2066]/;

test('what a server says is shown with its hidden characters as codes, wherever it stands', async () => {
  const detail = detailOf('two names', 'demo', 'r7');
  const [first, second] = detail.tools;
  if (!first || !second) throw new Error('the row has two tools');
  first.title = 'Ti\u202etle';
  first.description = 'Reads\u200b a file.\nAnd\u2066 more.';
  second.name = 'list\u202e_dir';
  second.quarantine = 'a\u202e reason';
  detail.log = ['a\u202e line'];
  detail.server.status = 'failed';
  detail.server.reason = 'it\u202e failed';
  detail.server.connection.version = '1\u202e.0';
  Object.assign(detail.server.live, { new: [second.name], new_off: 1, quarantined: 1 });
  const program = new Program(detail);
  const { container } = showPage(program.transport, ready);
  const row = (await screen.findByRole('switch', { name: `Allow ${first.name}` })).closest('li');
  if (!row) throw new Error('no row');
  await userEvent.click(within(row).getByRole('button', { expanded: false }));
  expect(row.textContent).toContain('Ti\\u{202E}tle');
  expect(row.textContent).toContain('And\\u{2066} more.');
  expect(row.querySelectorAll('bdi mark').length).toBeGreaterThan(2);
  expect(screen.getByRole('switch', { name: 'Allow list\\u{202E}_dir' })).toBeTruthy();
  expect(container.textContent).toContain('a\\u{202E} line');
  expect(container.textContent).toContain('it\\u{202E} failed');
  // No hidden character is left, not even where only screen readers look.
  expect(container.textContent).not.toMatch(hidden);
  const said = [...container.querySelectorAll('[aria-label], [title]')].map((one) => `${one.getAttribute('aria-label')} ${one.getAttribute('title')}`);
  expect(said.filter((words) => hidden.test(words))).toEqual([]);
});

test('a server’s reason is English and says so', async () => {
  const detail = detailOf('two names', 'demo', 'r7');
  Object.assign(detail.server, { status: 'failed', reason: 'the process ended with code 1' });
  showPage(new Program(detail).transport, ready, 'de');
  expect((await screen.findByText('the process ended with code 1')).getAttribute('lang')).toBe('en');
});

test('plain text shows what is hidden as a code', () => {
  expect(plain('a\u202eb')).toBe('a\\u{202E}b');
});
