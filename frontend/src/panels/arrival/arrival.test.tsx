import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, test } from 'vitest';
import type { PolicyState } from '@/app/policy';
import { CallError, type Arrival } from '@/bridge';
import { arrivalOf, detailOf, overviewOf, Program, realPolicy } from '@/testing/scenario';
import { showPage } from '@/testing/render';

let ready: PolicyState;

beforeAll(async () => {
  ready = { state: 'ready', policy: await realPolicy() };
});

const words = (code: string, params: string[], text: string) => ({ code, params, text });

const full = arrivalOf({
  quiet: false,
  servers: [
    {
      server: 'shop',
      code: 'helpers',
      before: words('agent.helpers', [], 'resources and prompts are on beside the whitelist'),
      now: words('now.helpers', ['resources'], 'resources off: a whitelist names everything that may be called'),
      fix: words('fix.helpers', ['resources: true'], 'where you want them, write resources: true below tools'),
      file: '/home/config.yaml',
      line: 7,
      column: 5,
    },
    {
      server: 'shop',
      code: 'tools',
      before: words('agent.open', [], 'every tool is on'),
      now: words('row.only_none', [], '[include only: (none)]'),
      fix: words('', [], ''),
      file: '/home/config.yaml',
      line: 6,
      column: 3,
    },
  ],
  honoured: [
    { severity: 'warning', code: 'honoured.approvals', params: ['smart', 'ask'], message: '`approvals.mode: smart` is read as ask', hint: '', file: '/home/config.yaml', line: 20, column: 3 },
  ],
  evidence: [
    { level: 'error', code: 'audit.lost', params: ['config.yaml.bak', '2026-01-02', 'lost.locked'], server: 'vault', message: 'was `[]` until 2026-01-02 or later (config.yaml.bak)', hint: 'type `hermes mcp lock vault`', file: '/home/config.yaml', line: 9, column: 3 },
  ],
  foreign_keys: 214,
  foreign_sections: ['terminal', 'memory'],
  programs: [
    { path: '/usr/local/bin/hermes', kind: 'python' },
    { path: '/opt/hermes/hermes', kind: 'this' },
  ],
  obsolete: [{ file: '/home/skills/a/SKILL.md', line: 3, text: 'Call one tool at a time.' }],
  unchecked: ['the git history of config.yaml: it took too long'],
});

function firstLook(arrival: Arrival | CallError): Program {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  program.overview = overviewOf({ started: false });
  program.transport.answers.Arrival = () => {
    if (arrival instanceof CallError) throw arrival;
    return arrival;
  };
  return program;
}

test('the first look says on one page what changes', async () => {
  showPage(firstLook(full).transport, ready);
  const card = await screen.findByRole('region', { name: 'Coming from Hermes Agent' });
  const said = card.textContent ?? '';
  expect(said).toContain('resources and prompts are on beside the whitelist');
  expect(said).toContain('where you want them, write resources: true below tools');
  expect(said).toContain('config.yaml:7:5');
  expect(said).toContain('was `[]` until 2026-01-02 or later (config.yaml.bak)');
  expect(said).toContain('/home/config.yaml:9:3');
  expect(said).toContain('`approvals.mode: smart` is read as ask');
  expect(said).toContain('214 keys belong to other parts of Hermes: kept, not used.');
  expect(said).toContain('Call one tool at a time.');
  expect(said).toContain('it took too long');
  const programs = within(card).getAllByRole('listitem').filter((item) => item.textContent?.includes('/hermes'));
  expect(programs.map((item) => item.textContent)).toEqual([
    '/usr/local/bin/hermesHermes Agent (Python)typing hermes starts this one',
    '/opt/hermes/hermesthis program',
  ]);
  // A point without something to write offers no such line.
  expect(within(card).getAllByText('What to write')).toHaveLength(1);
  // The line above the programs counts servers, not points.
  const first = screen.getByRole('region', { name: 'Nothing has been started yet' });
  expect(first.textContent).toContain('1 lock seems to be lost.');
  expect(first.textContent).toContain('1 server means something else here');
});

test('it is said in the chosen language, by code and parameters', async () => {
  showPage(firstLook(full).transport, ready, 'de');
  const card = await screen.findByRole('region', { name: 'Von Hermes Agent kommend' });
  expect(card.textContent).toContain('resources aus: eine Positivliste nennt alles');
  expect(card.textContent).toContain('approvals.mode: smart wird als ask gelesen');
  expect(card.textContent).toContain('war bis 2026-01-02 oder später eingeschränkt (config.yaml.bak)');
});

test('where nothing is to be said the first look stays as it is', async () => {
  showPage(firstLook(arrivalOf({ quiet: true, foreign_keys: 3 })).transport, ready);
  await screen.findByRole('region', { name: 'Nothing has been started yet' });
  expect(screen.queryByRole('region', { name: 'Coming from Hermes Agent' })).toBeNull();
});

test('a failed look is said and stops nothing', async () => {
  showPage(firstLook(new CallError('failed', 'the home cannot be read')).transport, ready);
  const card = await screen.findByRole('region', { name: 'Coming from Hermes Agent' });
  expect(card.textContent).toContain('the home cannot be read');
  expect(screen.getByRole('button', { name: 'Go on' }).hasAttribute('disabled')).toBe(false);
});

test('later it is reached from About', async () => {
  const program = firstLook(full);
  program.overview = overviewOf({ started: true });
  showPage(program.transport, ready);
  await userEvent.click(await screen.findByRole('button', { name: 'About Hermes' }));
  // It is asked for when somebody wants to see it.
  expect(program.transport.calls('Arrival')).toEqual([]);
  await userEvent.click(screen.getByRole('button', { name: 'Coming from Hermes Agent' }));
  const dialog = await screen.findByRole('dialog', { name: 'Coming from Hermes Agent' });
  await within(dialog).findByText('Servers that mean something else here');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Back' }));
  expect(await screen.findByRole('dialog', { name: /^Hermes/ })).toBeTruthy();
});
