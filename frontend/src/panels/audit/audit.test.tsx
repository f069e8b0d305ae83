import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, test } from 'vitest';
import type { PolicyState } from '@/app/policy';
import { auditOf, detailOf, Program, realPolicy } from '@/testing/scenario';
import { showPage } from '@/testing/render';

let ready: PolicyState;

beforeAll(async () => {
  ready = { state: 'ready', policy: await realPolicy() };
});

const item = (level: string, server: string, code: string, message: string) => ({
  level,
  code,
  params: [],
  server,
  message,
  hint: 'do something',
  file: '/home/config.yaml',
  line: 9,
  column: 3,
});

test('the findings are counted, listed, and lead to their server', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'), detailOf('no tools key', 'wide', 'r7'));
  program.transport.answers.Findings = () =>
    auditOf({
      ok: false,
      findings: [item('error', 'wide', 'x.lost', 'was locked until May'), item('warning', '', 'x.file', 'others can read it')],
      notes: [item('note', 'wide', 'audit.open', 'the server is open')],
      unchecked: ['the git history'],
    });
  showPage(program.transport, ready);
  await userEvent.click(await screen.findByRole('button', { name: '2 findings' }));
  const dialog = await screen.findByRole('dialog', { name: 'Audit' });
  const findings = within(dialog).getByRole('region', { name: 'Findings' });
  expect(within(findings).getAllByRole('listitem')).toHaveLength(2);
  expect(findings.textContent).toContain('was locked until May');
  expect(findings.textContent).toContain('/home/config.yaml:9:3');
  expect(within(dialog).getByRole('region', { name: 'Worth knowing' }).textContent).toContain('the server is open');
  expect(dialog.textContent).toContain('the git history');
  await userEvent.click(within(findings).getByRole('button', { name: 'Show wide' }));
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(await screen.findByRole('article', { name: 'wide' })).toBeTruthy();
});

test('another revision is audited anew', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  showPage(program.transport, ready);
  await screen.findByRole('button', { name: 'No findings' });
  program.transport.answers.Findings = () => auditOf({ ok: false, findings: [item('error', 'demo', 'x.held', 'held')] });
  program.details = [detailOf('no tools key', 'demo', 'r8')];
  act(() => program.transport.signal({ topic: 'config', revision: 'r8' }));
  await screen.findByRole('button', { name: '1 finding' });
});

test.each(['servers', 'config'])('the same revision is audited anew when the program tells of %s, once for many words', async (topic) => {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  showPage(program.transport, ready);
  await screen.findByRole('button', { name: 'No findings' });
  program.transport.answers.Findings = () => auditOf({ ok: false, findings: [item('error', 'demo', 'pin.changed', 'changed')] });
  act(() => {
    for (let times = 0; times < 5; times++) program.transport.signal({ topic, revision: 'r7' });
  });
  await screen.findByRole('button', { name: '1 finding' });
  expect(program.transport.calls('Findings')).toHaveLength(2);
});

test('the audit is not asked where nobody sees it, and anew on the way back', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  showPage(program.transport, ready);
  await screen.findByRole('button', { name: 'No findings' });
  await userEvent.click(screen.getByRole('button', { name: 'Chat' }));
  await screen.findByRole('textbox', { name: 'Message' });
  program.transport.answers.Findings = () => auditOf({ ok: false, findings: [item('error', 'demo', 'pin.changed', 'changed')] });
  act(() => program.transport.signal({ topic: 'servers' }));
  expect(program.transport.calls('Findings')).toHaveLength(1);
  await userEvent.click(screen.getByRole('button', { name: 'MCP' }));
  await screen.findByRole('button', { name: '1 finding' });
});
