import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, test } from 'vitest';
import type { PolicyState } from '@/app/policy';
import { CallError, type SessionRow } from '@/bridge';
import { showPage } from '@/testing/render';
import { detailOf, Program, realPolicy } from '@/testing/scenario';

let ready: PolicyState;

beforeAll(async () => {
  ready = { state: 'ready', policy: await realPolicy() };
});

const row: SessionRow = {
  session: 's9',
  title: 'About the notes',
  started: '2026-05-04T10:00:00Z',
  updated: '2026-05-04T10:05:00Z',
  source: 'page',
  model: 'some-model',
  messages: 2,
  usage: { input_tokens: 1200, output_tokens: 34, cache_read_tokens: 0, cache_write_tokens: 0, cost_usd: 0.0123 },
};

async function page() {
  const rows = [row];
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  program.transport.answers.Sessions = () => [...rows];
  program.transport.answers.SearchPast = (query) => (query === 'heron' ? [{ ...row, match: 'the heron stands' }] : []);
  program.transport.answers.Transcript = () => ({ session: 's9', title: row.title, running: false, events: [{ type: 'text', text: 'They say hello.' }] });
  program.transport.answers.ForgetSession = () => void rows.pop();
  showPage(program.transport, ready);
  await userEvent.click(screen.getByRole('button', { name: 'Chat' }));
  await screen.findByRole('button', { name: /About the notes/ });
  return program;
}

test('a conversation is listed with its model and what it took, and found by what was said', async () => {
  await page();
  expect(screen.getByRole('button', { name: /some-model · 1,234 tokens · \$0\.0123/ })).toBeTruthy();
  await userEvent.type(screen.getByRole('searchbox', { name: 'Search conversations' }), 'heron');
  expect(await screen.findByText('the heron stands')).toBeTruthy();
  expect(screen.getByText('1 conversation')).toBeTruthy();
  await userEvent.type(screen.getByRole('searchbox'), ' stork');
  expect(await screen.findByText('Nothing like that was said.')).toBeTruthy();
});

test('it is deleted only after a second yes; why it was not is said', async () => {
  const program = await page();
  await userEvent.click(screen.getByRole('button', { name: /About the notes/ }));
  await userEvent.click(await screen.findByRole('button', { name: 'Delete this conversation' }));
  const dialog = await screen.findByRole('alertdialog', { name: 'Delete “About the notes”?' });
  await userEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
  expect(program.transport.calls('ForgetSession')).toEqual([]);
  const { ForgetSession } = program.transport.answers;
  program.transport.answers.ForgetSession = () => {
    throw new CallError('failed', 'session s9 is not deleted: a turn of it runs', 'stop the turn');
  };
  const go = async () => {
    await userEvent.click(screen.getByRole('button', { name: 'Delete this conversation' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Delete for good' }));
  };
  await go();
  expect(await screen.findByText(/a turn of it runs/)).toBeTruthy();
  program.transport.answers.ForgetSession = ForgetSession;
  await go();
  await waitFor(() => expect(screen.queryByRole('button', { name: /About the notes/ })).toBeNull());
  expect(screen.getByRole('heading', { name: 'New chat' })).toBeTruthy();
});

test('what a turn took is told at its end', async () => {
  const program = await page();
  await userEvent.click(screen.getByRole('button', { name: /About the notes/ }));
  await screen.findByText('They say hello.');
  const usage = { input_tokens: 900, output_tokens: 20, cache_read_tokens: 800, cache_write_tokens: 0, cost_usd: 0.5 };
  act(() => program.transport.signal({ topic: 'chat', chat: { type: 'done', session: 's9', messages: 2, model_passes: 1, stop_reason: 'end', usage } }));
  expect(await screen.findByText('900 tokens in, 800 of them from the cache, 20 out, $0.50')).toBeTruthy();
});

test('text that is sent while a turn runs stays in the field, and the page says so', async () => {
  const program = await page();
  program.transport.answers.ChatSend = () => ({ session: 's1' });
  await userEvent.click(screen.getByRole('button', { name: 'New chat' }));
  const field = screen.getByRole('textbox', { name: 'Message' }) as HTMLTextAreaElement;
  await userEvent.type(field, 'Go{Enter}');
  await screen.findByRole('button', { name: 'Stop' });
  const again = screen.getByRole('textbox', { name: 'Message' }) as HTMLTextAreaElement;
  await userEvent.type(again, 'And then?{Enter}');
  expect(await screen.findByText(/Not sent: Hermes is still at work/)).toBeTruthy();
  expect(again.value).toBe('And then?');
  expect(program.transport.calls('ChatSend')).toHaveLength(1);
  act(() => program.transport.signal({ topic: 'chat', chat: { type: 'done', session: 's1' } }));
  await waitFor(() => expect(screen.queryByText(/Not sent: Hermes/)).toBeNull());
});

test('in the window the desktop asks where to save; nothing is downloaded', async () => {
  const program = await page();
  Object.defineProperty(program.transport, 'kind', { value: 'window' });
  program.transport.answers.SaveSession = () => true;
  await userEvent.click(screen.getByRole('button', { name: /About the notes/ }));
  await userEvent.click(await screen.findByRole('button', { name: 'Save as a JSON file' }));
  await waitFor(() => expect(program.transport.calls('SaveSession')).toEqual([['s9']]));
  expect(program.transport.calls('SessionFile')).toEqual([]);
  program.transport.answers.SaveSession = () => {
    throw new CallError('failed', 'the conversation was not saved: no room', 'choose another place');
  };
  await userEvent.click(screen.getByRole('button', { name: 'Save as a JSON file' }));
  expect((await screen.findByRole('alert')).textContent).toContain('no room');
});
