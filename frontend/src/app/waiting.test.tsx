import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, test } from 'vitest';
import type { PolicyState } from '@/app/policy';
import type { Grant, Problem } from '@/bridge';
import { showPage } from '@/testing/render';
import { detailOf, overviewOf, Program, realPolicy } from '@/testing/scenario';

let ready: PolicyState;

beforeAll(async () => {
  ready = { state: 'ready', policy: await realPolicy() };
});

const waits = (what: string, line: number, code = 'config.waits'): Problem => ({ severity: 'warning', code, params: [what], message: `waits: ${what}`, hint: '', file: '/home/config.yaml', line, column: 0 });

test('what waits is told with its lines, once, and taken by a person', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  const all = [waits('demo/drop', 12), waits('a\u202eb (a new server)', 0), waits('3', 0, 'config.waits_more')];
  program.overview = overviewOf({ notices: all });
  program.problems = all;
  program.transport.answers.ReloadNow = () => {
    program.overview = overviewOf();
    return { changed: ['demo'], retried: [], servers: 1, tools: 2, revision: 'r8' } as never;
  };
  showPage(program.transport, ready);
  const banner = (await screen.findByText('Waits: changed while the agent was at work')).closest<HTMLElement>('[role=alert]');
  if (!banner) throw new Error('no banner');
  const lines = within(banner).getAllByRole('listitem').map((line) => line.textContent);
  expect(lines).toEqual(['would open demo/drop /home/config.yaml:12', 'would open a\\u{202E}b (a new server) /home/config.yaml', 'and 3 more changes']);
  expect(screen.queryByRole('list', { name: 'Problems' })).toBeNull();
  await userEvent.click(within(banner).getByRole('button', { name: 'Take it now' }));
  await waitFor(() => expect(program.transport.calls('ReloadNow')).toHaveLength(1));
  await waitFor(() => expect(screen.queryByText('Waits: changed while the agent was at work')).toBeNull());
});

test('what a person said yes to stands at its server and can be taken back', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  const grant = (change: Partial<Grant>): Grant => ({ id: 1, server: 'demo', tool: 'look', scope: 'always', session: '', why: ['untrusted'], given: '2026-05-04T10:00:00Z', void: '', ...change });
  let grants = [grant({}), grant({ id: 2, tool: 'drop', scope: 'session', session: 's1', void: 'the server is another program' }), grant({ id: 3, server: 'other', tool: 'far' })];
  program.transport.answers.Grants = () => ({ grants });
  program.transport.answers.RevokeGrant = (ids) => {
    grants = grants.filter((one) => !ids.includes(one.id));
    return { grants };
  };
  showPage(program.transport, ready);
  const list = await screen.findByRole('region', { name: 'Your standing answers' });
  expect(list.textContent).not.toContain('far');
  expect(list.textContent).toContain('always, until its definition changes');
  expect(list.textContent).toContain('the server is another program');
  await userEvent.click(within(list).getByRole('button', { name: 'Take back the yes to look' }));
  await waitFor(() => expect(program.transport.calls('RevokeGrant')).toEqual([[[1]]]));
  await waitFor(() => expect(within(list).queryByText('look')).toBeNull());
});

test('what a call would meet behind the rules is told at the tool', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  program.transport.answers.Why = (server, tool) => ({
    server,
    tool,
    allowed: true,
    rule: 'gate.hook',
    reason: 'the hook guard.sh decides',
    words: { code: 'gate.hook', params: ['the hook guard.sh decides'], text: 'the hook guard.sh decides' },
    file: '',
    line: 0,
    column: 0,
    held: false,
    asks: false,
  });
  showPage(program.transport, ready, 'de');
  const [first] = await screen.findAllByRole('switch');
  const row = first?.closest('li');
  await userEvent.click(within(row as HTMLElement).getAllByRole('button')[0] as HTMLElement);
  expect(await screen.findByText('ein Hook entscheidet (the hook guard.sh decides)')).toBeTruthy();
});
