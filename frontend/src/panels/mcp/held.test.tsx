import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, test } from 'vitest';
import type { PolicyState } from '@/app/policy';
import { CallError, type EditResult } from '@/bridge';
import { detailOf, Program, realPolicy } from '@/testing/scenario';
import { showPage } from '@/testing/render';

let ready: PolicyState;

beforeAll(async () => {
  ready = { state: 'ready', policy: await realPolicy() };
});

const words = { code: '', params: [], text: '' };
const done: EditResult = { server: 'demo', revision: 'r8', changed: true, before: words, after: words, warnings: [] };

test('a held server says both sides and since when; its switches show what is in force', async () => {
  const detail = detailOf('include gone', 'demo', 'r7');
  if (detail.server.tools.hold) detail.server.tools.hold.keys = ['include'];
  detail.server.problems = [{ severity: 'warning', code: 'server.held', params: [], message: 'the file opens it', hint: '', file: '', line: 2, column: 3 }];
  showPage(new Program(detail).transport, ready);
  const banner = await screen.findByRole('region', { name: 'Held' });
  const says = (term: string) => within(banner).getByText(term).nextElementSibling?.textContent ?? '';
  expect(says('The file says')).toContain('No filter - all 4 on, new ones too');
  expect(says('The file says')).toContain('/home/config.yaml:2');
  expect(says('In force')).toBe('1 of 4 on, new ones stay off');
  expect(says('Gone from the file')).toBe('include');
  expect(within(banner).getByRole('status').textContent).toBe('Held - 1 of 4 on: the file opens it, Hermes still holds it, since 2026-01-02');
  expect(screen.queryByRole('list', { name: 'Problems' })).toBeNull();
  const on = screen.getAllByRole('switch').filter((one) => one.getAttribute('aria-checked') === 'true');
  expect(on.map((one) => one.getAttribute('aria-label'))).toEqual(['Allow read_file']);
  // The list tells it too, and nothing else offers to open or to lock.
  expect(screen.getByRole('button', { name: /^demo/ }).textContent).toContain('Hermes still holds it');
  expect(screen.queryByRole('button', { name: 'Open…' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Lock' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Lock to the current selection…' })).toBeNull();
});

test.each([
  { button: 'Write the restriction back…', method: 'Restore', confirm: 'Write it back', effect: '1 of 4 on, new ones stay off' },
  { button: 'Lock…', method: 'Lock', confirm: 'Lock', effect: 'Locked - 0 of 4' },
  { button: 'Accept the change…', method: 'Open', confirm: 'Accept the change', effect: 'No filter - all 4 on, new ones too' },
] as const)('$method asks first, says the effect, and sends the revision seen', async ({ button, method, confirm, effect }) => {
  const program = new Program(detailOf('include gone', 'demo', 'r7'));
  program.transport.answers[method] = () => done;
  showPage(program.transport, ready);
  await userEvent.click(await screen.findByRole('button', { name: button }));
  const dialog = await screen.findByRole('alertdialog');
  expect(within(dialog).getByText('Then').nextElementSibling?.textContent).toBe(effect);
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('alertdialog')).toBeNull();
  expect(program.transport.calls(method)).toEqual([]);
  await userEvent.click(screen.getByRole('button', { name: button }));
  await userEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: confirm }));
  expect(program.transport.calls(method)).toEqual([[{ server: 'demo', revision: 'r7' }]]);
});

test('what could not be read cannot be written back: that way is not offered, and if it is, the question says so', async () => {
  const detail = detailOf('what could not be read is gone', 'demo', 'r7');
  const { unmount } = showPage(new Program(detail).transport, ready);
  await screen.findByRole('button', { name: 'Lock…' });
  expect(screen.queryByRole('button', { name: 'Write the restriction back…' })).toBeNull();
  unmount();
  detail.server.tools.hold?.ways.push('restore');
  showPage(new Program(detail).transport, ready);
  await userEvent.click(await screen.findByRole('button', { name: 'Write the restriction back…' }));
  const dialog = await screen.findByRole('alertdialog');
  expect(dialog.textContent).toContain('could not be read');
  expect(within(dialog).getByRole('button', { name: 'Write it back' }).hasAttribute('disabled')).toBe(true);
});

test('what somebody wrote in the place of what is held is said, and is not written over', async () => {
  const detail = detailOf('include gone', 'demo', 'r7');
  detail.server.tools.hold = { since: '2026-01-02', was: '1 selected', keys: ['trust'], texts: ['include: [read_file]'], present: ['include: [echo]'], waits: false, ways: ['open', 'lock'] };
  detail.server.problems = [{ severity: 'warning', code: 'server.held_partly', params: [], message: 'the file says something else', hint: '', file: '', line: 2, column: 3 }];
  showPage(new Program(detail).transport, ready);
  const banner = await screen.findByRole('region', { name: 'Held' });
  const says = (term: string) => within(banner).getByText(term).nextElementSibling?.textContent ?? '';
  expect(banner.textContent).toContain('What somebody wrote is not written over.');
  expect(banner.textContent).not.toContain('It was not taken out through Hermes');
  expect(says('Stands there now')).toBe('include: [echo]');
  expect(says('Hermes holds')).toBe('include: [read_file]');
  expect(says('Gone from the file')).toBe('trust');
  expect(screen.queryByRole('list', { name: 'Problems' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Write the restriction back…' })).toBeNull();
});

test('what waits is said to wait, in every language', async () => {
  for (const [language, kind, text] of [
    ['en', 'Held', 'waits for you'],
    ['de', 'Gehalten', 'wartet auf Sie'],
    ['es', 'Retenido', 'le espera a usted'],
  ] as const) {
    const detail = detailOf('include gone', 'demo', 'r7');
    detail.server.tools.hold = { since: '2026-01-02', was: '', keys: [], texts: [], present: [], waits: true, ways: ['open', 'lock'] };
    const { unmount } = showPage(new Program(detail).transport, ready, language);
    expect((await screen.findByRole('region', { name: kind })).textContent).toContain(text);
    unmount();
  }
});

test('a refusal and a conflict are shown', async () => {
  const program = new Program(detailOf('include gone', 'demo', 'r7'));
  program.transport.answers.Restore = () => {
    throw new CallError('conflict', 'the file changed since revision r7');
  };
  showPage(program.transport, ready);
  await userEvent.click(await screen.findByRole('button', { name: 'Write the restriction back…' }));
  await userEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Write it back' }));
  expect((await screen.findByRole('alert')).textContent).toContain('the file changed meanwhile');
});

test('a tree that the module cannot read, and no module, enable nothing and offer no way out', async () => {
  const detail = detailOf('include gone', 'demo', 'r7');
  const unread = { ...detail, tree: btoa(atob(detail.tree).replace('HPT', 'HPX')) };
  showPage(new Program(unread).transport, ready);
  expect((await screen.findByRole('region', { name: 'Held' })).textContent).toContain('held since 2026-01-02');
  for (const one of screen.getAllByRole('switch')) expect(one.getAttribute('aria-checked')).toBe('false');
  expect(screen.getByRole('button', { name: 'Accept the change…' }).hasAttribute('disabled')).toBe(true);
});

test('the banner is said in the chosen language', async () => {
  showPage(new Program(detailOf('include gone', 'demo', 'r7')).transport, ready, 'de');
  const banner = await screen.findByRole('region', { name: 'Gehalten' });
  expect(within(banner).getByRole('button', { name: 'Einschränkung zurückschreiben…' })).toBeTruthy();
  expect(banner.textContent).toContain('2026-01-02');
});
