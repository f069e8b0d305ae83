import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, test } from 'vitest';
import type { PolicyState } from '@/app/policy';
import { CallError } from '@/bridge';
import { showPage } from '@/testing/render';
import { detailOf, overviewOf, Program, realPolicy } from '@/testing/scenario';

let ready: PolicyState;

beforeAll(async () => {
  ready = { state: 'ready', policy: await realPolicy() };
});

async function chatPage(change: Partial<ReturnType<typeof overviewOf>> = {}) {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  program.overview = overviewOf(change);
  program.transport.answers.ChatSend = () => ({ session: 's1' });
  showPage(program.transport, ready);
  await userEvent.click(screen.getByRole('button', { name: 'Chat' }));
  const field = await screen.findByRole('textbox', { name: 'Message' });
  return { program, field };
}

test('a message is sent with Enter; text, calls and results are shown; the result is opened', async () => {
  const { program, field } = await chatPage();
  await userEvent.type(field, 'Read the notes{Enter}');
  await waitFor(() => expect(program.transport.calls('ChatSend')).toEqual([['', 'Read the notes']]));
  const hear = (chat: object) => act(() => program.transport.signal({ topic: 'chat', chat: { session: 's1', ...chat } as never }));
  hear({ type: 'text', text: 'I look ', provisional: true });
  hear({ type: 'text', text: 'at them.', provisional: true });
  expect(await screen.findByText('I look at them.')).toBeTruthy();
  hear({ type: 'tool_call', id: 'c1', name: 'mcp__files__read', server: 'files', tool: 'read', arguments: '{"path":"notes.txt"}' });
  expect(await screen.findByText('running')).toBeTruthy();
  hear({ type: 'tool_result', id: 'c1', status: 'ok', content: 'the beginning', truncated: true, size: 300_000 });
  hear({ type: 'done', messages: 4, model_passes: 2, tool_calls: 1, stop_reason: 'end' });
  expect(await screen.findByText('4 messages · 2 model passes · 1 tool call')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: /read.*done/ }));
  expect(await screen.findByText('the beginning')).toBeTruthy();
  program.transport.large.set('/data/results/s1/c1', 'the beginning and the whole rest');
  await userEvent.click(screen.getByRole('button', { name: /^Show all/ }));
  expect(await screen.findByText('the beginning and the whole rest')).toBeTruthy();
});

test('a running turn can be stopped', async () => {
  const { program, field } = await chatPage();
  program.transport.answers.ChatStop = () => undefined;
  await userEvent.type(field, 'Go on{Enter}');
  await userEvent.click(await screen.findByRole('button', { name: 'Stop' }));
  await waitFor(() => expect(program.transport.calls('ChatStop')).toEqual([['s1']]));
  act(() => program.transport.signal({ topic: 'chat', chat: { type: 'done', session: 's1', stop_reason: 'interrupted' } }));
  expect(await screen.findByText(/^Stopped/)).toBeTruthy();
});

test('a message that was not sent is in the field again', async () => {
  const { program, field } = await chatPage();
  program.transport.answers.ChatSend = () => {
    throw new CallError('failed', 'the model needs a key', 'set OPENAI_API_KEY');
  };
  await userEvent.type(field, 'Hello{Enter}');
  expect((await screen.findByRole('alert')).textContent).toContain('the model needs a key');
  await waitFor(() => expect((screen.getByRole('textbox', { name: 'Message' }) as HTMLTextAreaElement).value).toBe('Hello'));
});

test('the offline model is never mistaken for a language model', async () => {
  await chatPage({ offline_model: true, model: 'offline demo model' });
  expect(await screen.findByText('Offline demo model')).toBeTruthy();
});

test('what a model writes loads nothing and runs nothing', async () => {
  const { program, field } = await chatPage();
  await userEvent.type(field, 'Hi{Enter}');
  await waitFor(() => expect(program.transport.calls('ChatSend')).toHaveLength(1));
  const text = '![pixel](https://evil.example/p.png) <img src=x onerror=alert(1)> <script>alert(1)</script> [site](https://example.org) [bad](javascript:alert(1))';
  act(() => program.transport.signal({ topic: 'chat', chat: { type: 'text', session: 's1', text } }));
  await userEvent.click(await screen.findByRole('link', { name: 'site' }));
  expect(program.transport.opened).toEqual(['https://example.org']);
  expect(document.querySelector('main img, main script')).toBeNull();
  await userEvent.click(screen.getByText('bad'));
  expect(program.transport.opened).toHaveLength(1);
  expect(document.querySelector('a[href^="javascript"]')).toBeNull();
});

test('past sessions are listed and shown again', async () => {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  program.transport.answers.Sessions = () => [{ session: 's9', title: 'About the notes', started: '2026-05-04T10:00:00Z', updated: '2026-05-04T10:05:00Z', source: 'page', model: 'test-model', messages: 2 }];
  program.transport.answers.Transcript = () => ({
    session: 's9',
    title: 'About the notes',
    running: false,
    events: [
      { type: 'user', text: 'What do they say?' },
      { type: 'text', text: 'They say hello.' },
    ],
  });
  showPage(program.transport, ready);
  await userEvent.click(screen.getByRole('button', { name: 'Chat' }));
  await userEvent.click(await screen.findByRole('button', { name: /About the notes/ }));
  expect(await screen.findByText('They say hello.')).toBeTruthy();
  expect(screen.getByText('What do they say?')).toBeTruthy();
});

test('a running call shows how far it is, in numbers where its server counts', async () => {
  const { program, field } = await chatPage();
  await userEvent.type(field, 'Copy{Enter}');
  await waitFor(() => expect(program.transport.calls('ChatSend')).toHaveLength(1));
  const hear = (chat: object) => act(() => program.transport.signal({ topic: 'chat', chat: { session: 's1', ...chat } as never }));
  hear({ type: 'tool_call', id: 'c1', name: 'mcp__files__copy', server: 'files', tool: 'copy', arguments: '{}' });
  hear({ type: 'progress', id: 'c1', progress: 3, total: 10, text: 'third file' });
  const bar = await screen.findByRole('progressbar', { name: 'Progress of copy' });
  expect(bar.getAttribute('aria-valuenow')).toBe('3');
  expect(bar.getAttribute('aria-valuemax')).toBe('10');
  expect(bar.getAttribute('aria-valuetext')).toBe('3 of 10, third file');
  expect(screen.getByRole('button', { name: /copy.*third file.*3 of 10/ })).toBeTruthy();
  hear({ type: 'progress', id: 'c1', progress: 4 });
  expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBeNull();
  expect(screen.getByRole('button', { name: /copy.*running/ })).toBeTruthy();
  hear({ type: 'tool_result', id: 'c1', status: 'ok', content: 'done' });
  await waitFor(() => expect(screen.queryByRole('progressbar')).toBeNull());
});
