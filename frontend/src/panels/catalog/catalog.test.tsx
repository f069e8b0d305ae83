import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, test } from 'vitest';
import type { PolicyState } from '@/app/policy';
import { CallError, type CatalogRow, type Installed, type InstallPlan } from '@/bridge';
import { detailOf, Program, realPolicy } from '@/testing/scenario';
import { showPage } from '@/testing/render';

let ready: PolicyState;

beforeAll(async () => {
  ready = { state: 'ready', policy: await realPolicy() };
});

const config = { path: '/home/config.yaml', revision: 'r7', problems: [] };
const words = { code: 'list.only', params: ['2'], text: '2 selected' };
const variable = { name: 'TRACKER_KEY', prompt: 'Your key', required: true, secret: true, default: '', set: false };

function row(change: Partial<CatalogRow> = {}): CatalogRow {
  return {
    name: 'tracker',
    status: 'available',
    status_text: 'available',
    description: 'Reads tickets.',
    source: '',
    origin: 'built in',
    outside: false,
    commands: ['npx -y tracker-server@1.2.3'],
    auth: 'api_key',
    variables: [variable],
    packages: ['tracker-server@1.2.3'],
    ...change,
  };
}

const planOf = (of: CatalogRow, change: Partial<InstallPlan> = {}): InstallPlan => ({
  row: of,
  confirm: false,
  exists: false,
  replaces: '',
  missing: [],
  rules: words,
  unhashed: [],
  hands_over: [],
  notes: [],
  revision: 'r7',
  ...change,
});

const installed: Installed = {
  server: 'tracker',
  path: '/home/config.yaml',
  revision: 'r8',
  changed: true,
  enabled: true,
  untrusted: false,
  rules: words,
  live: { known: false, allowed: 0, total: 0, unmatched: [], new: [], new_off: 0, changed: 0, quarantined: 0, blocked: 0 },
  variables: ['TRACKER_KEY'],
  checked: [],
  unchecked: [],
  notes: [],
  look_error: '',
  post_install: 'Make a board first.',
  problems: [],
};

function offering(one: CatalogRow, plan: InstallPlan): Program {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  program.transport.answers.Catalog = () => ({ config, rows: [one, row({ name: 'demo', status: 'custom_enabled', outside: false })], problems: [] });
  program.transport.answers.InstallPlan = () => plan;
  return program;
}

async function form(name: string): Promise<HTMLElement> {
  await userEvent.click(await screen.findByRole('button', { name: 'Add a server…' }));
  await userEvent.click(await screen.findByRole('button', { name: `Look at ${name}` }));
  return screen.findByRole('dialog', { name: `Add ${name}` });
}

test('a server is added with its command shown, and the secret is sent once and kept nowhere', async () => {
  const program = offering(row(), planOf(row()));
  let fail = true;
  program.transport.answers.InstallEntry = () => {
    if (fail) throw new CallError('refused', 'tracker was not installed: the hash differs', 'nothing was written');
    return installed;
  };
  showPage(program.transport, ready);
  const dialog = await form('tracker');
  await within(dialog).findByText('2 selected');
  expect(dialog.textContent).toContain('npx -y tracker-server@1.2.3');
  const field = within(dialog).getByLabelText(/TRACKER_KEY/) as HTMLInputElement;
  expect(field.type).toBe('password');
  await userEvent.type(field, 's3cret');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Add tracker' }));
  expect((await within(dialog).findByRole('alert')).textContent).toContain('the hash differs');
  expect(field.value).toBe('');
  expect(program.transport.calls('InstallEntry')).toEqual([
    [{ name: 'tracker', values: { TRACKER_KEY: 's3cret' }, existing: [], confirmed: true, skip_integrity: false, revision: 'r7' }],
  ]);
  fail = false;
  await userEvent.type(field, 's3cret');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Add tracker' }));
  expect((await within(dialog).findByRole('alert')).textContent).toContain('tracker: 2 selected');
  expect(dialog.textContent).toContain('Make a board first.');
  expect(document.documentElement.outerHTML).not.toContain('s3cret');
});

test('an entry from outside says so, and waits until it was read', async () => {
  const outside = row({ outside: true, origin: 'folder /srv/manifests', variables: [] });
  const program = offering(outside, planOf(outside, { confirm: true, replaces: 'node other.js', unhashed: ['tracker-server@1.2.3'], hands_over: ['OPENAI_API_KEY'] }));
  program.transport.answers.InstallEntry = () => installed;
  showPage(program.transport, ready);
  const dialog = await form('tracker');
  const box = await within(dialog).findByRole('checkbox', { name: /I have read/ });
  expect(dialog.textContent).toContain('folder /srv/manifests');
  expect(dialog.textContent).toContain('node other.js');
  expect(dialog.textContent).toContain('OPENAI_API_KEY: set here already');
  const go = within(dialog).getByRole('button', { name: 'Add tracker' });
  expect((go.closest('form') as HTMLFormElement).checkValidity()).toBe(false);
  await userEvent.click(box);
  await userEvent.click(go);
  await waitFor(() => expect(program.transport.calls('InstallEntry')).toHaveLength(1));
  expect(program.transport.calls('InstallEntry')[0]).toMatchObject([{ existing: ['OPENAI_API_KEY'] }]);
});

test('servers without a manifest are not offered; the search narrows', async () => {
  showPage(offering(row(), planOf(row())).transport, ready);
  await userEvent.click(await screen.findByRole('button', { name: 'Add a server…' }));
  const list = await screen.findByRole('list', { name: 'Servers you can add' });
  expect(within(list).getAllByRole('listitem')).toHaveLength(1);
  await userEvent.type(screen.getByRole('searchbox', { name: 'Search servers' }), 'zzz');
  expect(screen.getByText('No server matches.')).toBeTruthy();
});
