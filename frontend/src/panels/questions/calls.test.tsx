import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, test } from 'vitest';
import type { PolicyState } from '@/app/policy';
import type { Question, QuestionCall } from '@/bridge';
import { showPage } from '@/testing/render';
import { detailOf, Program, realPolicy } from '@/testing/scenario';
import type { Language } from '@/words';
import { choicesOf, reasonOf } from './calls';

let ready: PolicyState;

beforeAll(async () => {
  ready = { state: 'ready', policy: await realPolicy() };
});

const callOf = (change: Partial<QuestionCall> = {}): QuestionCall => ({
  call: 'c1',
  name: 'mcp__demo__look',
  server: 'demo',
  tool: 'look',
  arguments: '{"path":"a\\u200bb"}',
  why: [{ code: 'untrusted', text: 'the server "demo" is not trusted, so a person approves its tools' }],
  scopes: ['once', 'session', 'always'],
  ...change,
});

const drop = callOf({ call: 'c2', tool: 'drop', name: 'mcp__demo__drop', destructive: true, open_world: true, scopes: ['once'], why: [{ code: 'own-files', text: 'its arguments name files of Hermes itself: config.yaml' }] });

const cardOf = (calls: QuestionCall[]): Question => ({
  id: 'q1',
  kind: 'calls',
  server: '',
  session: 's1',
  message: '',
  schema: '',
  asked: new Date().toISOString(),
  expires: new Date(Date.now() + 300_000).toISOString(),
  fields: [],
  calls,
});

async function page(questions: Question[], language: Language = 'en') {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  program.transport.answers.Questions = () => ({ questions: [...questions] });
  program.transport.answers.AnswerQuestion = ({ id }) => {
    questions.length = 0;
    return { id, accepted: true };
  };
  showPage(program.transport, ready, language);
  await userEvent.click(screen.getByRole('button', { name: 'Chat' }));
  return program;
}

const cards = () => screen.findByRole('region', { name: /Hermes wants to call/ });
const counts = (button: HTMLElement) => waitFor(() => expect(button.getAttribute('aria-disabled')).toBeNull());

test('a card shows what each call would do and why a person is asked; nothing is picked', async () => {
  await page([cardOf([callOf(), drop])]);
  const card = await cards();
  const boxes = within(card).getAllByRole('checkbox') as HTMLInputElement[];
  expect(boxes.map((box) => [box.checked, box.getAttribute('aria-label')])).toEqual([
    [false, 'Allow 1: demo › look'],
    [false, 'Allow 2: demo › drop'],
  ]);
  expect(card.contains(document.activeElement)).toBe(false);
  expect(card.textContent).toContain('You do not trust this server.');
  expect(card.textContent).toContain('The arguments name files of Hermes itself: config.yaml');
  expect(card.textContent).toContain('nothing about what it may do');
  for (const hint of ['may destroy', 'reaches outside', '\\u{200B}', 'mcp__demo__drop']) expect(within(card).getAllByText(hint).length).toBeGreaterThan(0);
  expect((within(card).getByRole('button', { name: 'Tick what to allow' }) as HTMLButtonElement).disabled).toBe(true);
});

test('one is allowed for the conversation, the other denied with a reason', async () => {
  const program = await page([cardOf([callOf(), drop])]);
  const card = await cards();
  await userEvent.click(within(card).getByRole('checkbox', { name: /look/ }));
  await userEvent.selectOptions(within(card).getByRole('combobox'), 'session');
  await userEvent.type(within(card).getByRole('textbox'), ' not that one {Enter}');
  expect(program.transport.calls('AnswerQuestion')).toEqual([]);
  const allow = within(card).getByRole('button', { name: 'Allow 1, deny 1' });
  await counts(allow);
  await userEvent.click(allow);
  await waitFor(() =>
    expect(program.transport.calls('AnswerQuestion')).toEqual([
      [
        {
          id: 'q1',
          action: 'accept',
          content: '',
          choices: [
            { call: 'c1', allow: true, scope: 'session', reason: '' },
            { call: 'c2', allow: false, scope: '', reason: 'not that one' },
          ],
        },
      ],
    ]),
  );
  await waitFor(() => expect(screen.queryByRole('region', { name: /Hermes wants/ })).toBeNull());
  expect(screen.queryByText('No longer asked')).toBeNull();
});

test('a click before the card has stood, and the second of a double click, decide nothing', async () => {
  const program = await page([cardOf([callOf()])]);
  const allow = within(await cards()).getByRole('button', { name: 'Allow' });
  if (allow.getAttribute('aria-disabled') === 'true') fireEvent.click(allow);
  expect(program.transport.calls('AnswerQuestion')).toEqual([]);
  await counts(allow);
  fireEvent.click(allow, { detail: 2 });
  expect(program.transport.calls('AnswerQuestion')).toEqual([]);
  fireEvent.click(allow, { detail: 1 });
  await waitFor(() => expect(program.transport.calls('AnswerQuestion')).toHaveLength(1));
});

test('what is left of two calls keeps its box, so that nothing goes that was not picked', async () => {
  const questions = [cardOf([callOf(), drop])];
  const program = await page(questions);
  await cards();
  questions[0] = cardOf([drop]);
  act(() => program.transport.signal({ topic: 'questions' }));
  const card = await screen.findByRole('region', { name: 'Hermes wants to call 1 tool' });
  expect((within(card).getByRole('checkbox') as HTMLInputElement).checked).toBe(false);
  const deny = within(card).getByRole('button', { name: 'Deny all' });
  await counts(deny);
  await userEvent.click(deny);
  await waitFor(() => expect(program.transport.calls('AnswerQuestion')).toEqual([[{ id: 'q1', action: 'decline', content: '', choices: [{ call: 'c2', allow: false, scope: '', reason: '' }] }]]));
});

test('a card that another face answered goes, and the page says so', async () => {
  const questions = [cardOf([callOf()])];
  const program = await page(questions);
  await cards();
  questions.length = 0;
  act(() => program.transport.signal({ topic: 'questions' }));
  expect((await screen.findByText('No longer asked')).closest('[role=alert]')?.textContent).toContain('answered elsewhere');
  await userEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(screen.queryByText('No longer asked')).toBeNull();
});

test('the calls that wait are marked in the thread, and lead to their card', async () => {
  const questions = [cardOf([callOf()])];
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  program.transport.answers.Questions = () => ({ questions });
  program.transport.answers.Transcript = () => ({ session: 's1', title: 'T', running: true, events: [{ type: 'user', text: 'Go' }, { type: 'tool_call', id: 'c1', name: 'mcp__demo__look', server: 'demo', tool: 'look', arguments: '{}' }] });
  showPage(program.transport, ready);
  await userEvent.click(await screen.findByRole('button', { name: 'Answer' }));
  const card = await cards();
  await waitFor(() => expect(document.activeElement).toBe(card));
  await userEvent.click(await screen.findByRole('button', { name: /look.*waits for you/ }));
  await userEvent.click(await screen.findByRole('button', { name: 'Go to the card' }));
  expect(document.activeElement).toBe(card);
});

test('the card speaks the languages of the page', async () => {
  await page([cardOf([callOf(), drop])], 'de');
  const card = await screen.findByRole('region', { name: 'Hermes will 2 Werkzeuge aufrufen' });
  expect(card.textContent).toContain('Sie vertrauen diesem Server nicht.');
});

test('what was not picked is a no, whatever it is called', () => {
  expect(choicesOf([callOf({ call: '__proto__' })], {}, false)).toEqual([{ call: '__proto__', allow: false, scope: '', reason: '' }]);
  const yes = { c1: { allow: true, scope: 'always', reason: 'x' } };
  expect(choicesOf([callOf()], yes, true)[0]?.allow).toBe(false);
  expect(choicesOf([callOf({ scopes: ['once'] })], yes, false)[0]?.scope).toBe('once');
  expect(choicesOf([callOf({ scopes: [] })], yes, false)[0]?.allow).toBe(false);
});

test('a reason is its code and what is particular about it; an unknown one its own words', () => {
  expect(reasonOf({ code: 'hook', text: 'a hook wants a person to decide: look: here' })).toEqual({ code: 'hook', detail: 'look: here' });
  expect(reasonOf({ code: 'tainted', text: 'this conversation holds a result of the untrusted server "web", and' })).toEqual({ code: 'tainted', detail: 'web' });
  expect(reasonOf({ code: 'of tomorrow', text: 'because' })).toEqual({ code: '', detail: 'because' });
});
