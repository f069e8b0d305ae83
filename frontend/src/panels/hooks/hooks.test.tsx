import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, test } from 'vitest';
import type { PolicyState } from '@/app/policy';
import { CallError } from '@/bridge';
import type { Hook, HooksList } from '@/bridge';
import { showPage } from '@/testing/render';
import { detailOf, Program, realPolicy } from '@/testing/scenario';

let ready: PolicyState;

beforeAll(async () => {
  ready = { state: 'ready', policy: await realPolicy() };
});

const hook = (change: Partial<Hook> = {}): Hook => ({
  index: 1,
  event: 'pre_tool_call',
  matcher: '',
  command: '/home/guard.sh',
  timeout: 60,
  fail_open: false,
  state: 'untrusted',
  reason: "has nobody's consent yet",
  said: [{ code: 'hookstate.new', params: [], text: "has nobody's consent yet" }],
  files: [{ path: '/home/guard.sh', sha256: 'aa' }],
  file: '/home/config.yaml',
  line: 3,
  ...change,
});

const list = (change: Partial<HooksList> = {}): HooksList => ({ file: '/home/config.yaml', consents: '', hooks: [hook()], not_run: [], problems: [], notes: [], ...change });

function program(hooks: HooksList): Program {
  const all = new Program(detailOf('two names', 'demo', 'r7'));
  all.transport.answers.Hooks = () => hooks;
  return all;
}

test('a hook is trusted only by its name, with the files that were shown', async () => {
  const { transport } = program(list());
  const contents = [{ path: '/home/guard.sh', sha256: 'aa', text: 'exit 0\u202e', cut: false }];
  transport.answers.HookLook = () => ({ hook: hook(), name: 'guard.sh', contents });
  transport.answers.TrustSeen = () => ({ hook: hook({ state: 'trusted' }), changed: true });
  showPage(transport, ready);
  await userEvent.click(await screen.findByRole('button', { name: '1 hook is not trusted' }));
  const dialog = await screen.findByRole('dialog', { name: 'Hooks' });
  await userEvent.click(within(dialog).getByRole('button', { name: /^Look/ }));
  // A character that turns the text around stands there as its code.
  expect((await within(dialog).findByLabelText('/home/guard.sh, its content')).textContent).toContain('{202E}');
  const trust = within(dialog).getByRole('button', { name: 'Trust this hook' });
  expect((trust as HTMLButtonElement).disabled).toBe(true);
  await userEvent.type(within(dialog).getByRole('textbox', { name: 'Name of the hook' }), 'guard.sh{Enter}');
  await within(dialog).findByText('Trusted. It runs for the calls it matches.');
  expect(transport.calls('TrustSeen')).toEqual([
    [{ pick: { event: 'pre_tool_call', matcher: '', command: '/home/guard.sh' }, files: [{ path: '/home/guard.sh', sha256: 'aa' }], typed: 'guard.sh' }],
  ]);
});

test('files that changed since are shown anew and not trusted', async () => {
  const { transport } = program(list());
  let now = { path: '/home/guard.sh', sha256: 'aa', text: 'exit 0', cut: false };
  transport.answers.HookLook = () => ({ hook: hook(), name: 'guard.sh', contents: [now] });
  transport.answers.TrustSeen = () => {
    now = { ...now, sha256: 'bb', text: 'rm -r x' };
    throw new CallError('conflict', 'changed');
  };
  showPage(transport, ready);
  await userEvent.click(await screen.findByRole('button', { name: '1 hook is not trusted' }));
  const dialog = await screen.findByRole('dialog', { name: 'Hooks' });
  await userEvent.click(within(dialog).getByRole('button', { name: /^Look/ }));
  await userEvent.type(await within(dialog).findByRole('textbox', { name: 'Name of the hook' }), 'guard.sh{Enter}');
  await within(dialog).findByText('rm -r x');
  expect((await within(dialog).findByRole('alert')).textContent).toContain('Nothing was trusted');
  expect((within(dialog).getByRole('textbox', { name: 'Name of the hook' }) as HTMLInputElement).value).toBe('');
});

test('trust is taken back, also of a hook that is gone from the file; why is said in German', async () => {
  const said = [{ code: 'hookstate.left', params: [], text: 'left' }];
  const left = { event: 'pre_tool_call', matcher: 'x', command: 'old.sh', reason: 'left', said, consent: true, file: '', line: 0 };
  const { transport } = program(list({ hooks: [hook({ state: 'changed', approved_at: '2026-01-02T03:04:05Z', said: [{ code: 'hookstate.changed', params: ['/home/guard.sh'], text: '' }] })], not_run: [left] }));
  transport.answers.ForgetHook = () => ({ hook: hook(), changed: true });
  showPage(transport, ready, 'de');
  await userEvent.click(await screen.findByRole('button', { name: '1 Hook ohne Vertrauen' }));
  const dialog = await screen.findByRole('dialog', { name: 'Hooks' });
  within(dialog).getByText('Er ist nicht mehr, was freigegeben wurde: /home/guard.sh ist jetzt eine andere Datei.');
  within(dialog).getByText(/^Freigegeben, aber nicht mehr in der Datei/);
  for (const name of ['Vertrauen entziehen: Hook /home/guard.sh', 'Vertrauen entziehen: Hook old.sh']) {
    await userEvent.click(within(dialog).getByRole('button', { name }));
  }
  expect(transport.calls('ForgetHook').map(([pick]) => (pick as { command: string }).command)).toEqual(['/home/guard.sh', 'old.sh']);
});

test('a file without hooks has no place for them', async () => {
  const { transport } = program(list({ hooks: [] }));
  showPage(transport, ready);
  await screen.findByRole('button', { name: 'No findings' });
  expect(screen.queryByRole('button', { name: /hook/ })).toBeNull();
});
