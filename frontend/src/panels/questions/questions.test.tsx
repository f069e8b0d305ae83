import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, test } from 'vitest';
import type { PolicyState } from '@/app/policy';
import { CallError, type Question, type QuestionField } from '@/bridge';
import { showPage } from '@/testing/render';
import { detailOf, Program, realPolicy } from '@/testing/scenario';
import type { Language } from '@/words';
import { contentOf } from './questions';

let ready: PolicyState;

beforeAll(async () => {
  ready = { state: 'ready', policy: await realPolicy() };
});

const fieldOf = (change: Partial<QuestionField>): QuestionField => ({
  name: 'name',
  title: 'Name',
  description: '',
  kind: 'text',
  required: false,
  format: '',
  options: [],
  default: '',
  ...change,
});

const questionOf = (change: Partial<Question> = {}): Question => ({
  id: 'q1',
  kind: 'elicitation',
  server: 'demo',
  session: '',
  message: 'What is **your** <b>name</b>?\n[Click](https://example.com)',
  schema: '{}',
  asked: new Date().toISOString(),
  expires: new Date(Date.now() + 300_000).toISOString(),
  fields: [fieldOf({ required: true })],
  calls: [],
  ...change,
});

function page(questions: Question[], language: Language = 'en') {
  const program = new Program(detailOf('two names', 'demo', 'r7'));
  program.transport.answers.Questions = () => ({ questions: [...questions] });
  program.transport.answers.AnswerQuestion = ({ id }) => {
    questions.length = 0;
    return { id, accepted: true };
  };
  showPage(program.transport, ready, language);
  return program;
}

test('a question is told in the other place, and answered in the chat', async () => {
  const program = page([questionOf()]);
  const banner = (await screen.findAllByRole('alert')).find((one) => one.textContent?.includes('1 question waits for you'));
  expect(banner?.textContent).toContain('Server demo asks');
  await userEvent.click(screen.getByRole('button', { name: 'Answer' }));
  const card = await screen.findByRole('region', { name: 'Server demo asks' });
  expect(within(card).getByText(/never type passwords or keys/i)).toBeTruthy();
  expect(within(card).getByText(/5 minutes left/)).toBeTruthy();
  // The words of a server are text: nothing of them is drawn or can be clicked.
  expect(card.querySelector('b, strong, a')).toBeNull();
  expect(within(card).getByText(/\*\*your\*\* <b>name<\/b>/)).toBeTruthy();
  await userEvent.type(within(card).getByRole('textbox', { name: /^Name/ }), 'Ada');
  await userEvent.click(within(card).getByRole('button', { name: 'Send answer' }));
  await waitFor(() => expect(program.transport.calls('AnswerQuestion')).toEqual([[{ id: 'q1', action: 'accept', content: '{"name":"Ada"}', choices: [] }]]));
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Server demo asks' })).toBeNull());
});

test('a question can be declined by the keyboard, without filling anything in', async () => {
  const program = page([questionOf()]);
  await userEvent.click(await screen.findByRole('button', { name: 'Answer' }));
  (await screen.findByRole('button', { name: 'Decline' })).focus();
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(program.transport.calls('AnswerQuestion')).toEqual([[{ id: 'q1', action: 'decline', content: '', choices: [] }]]));
});

test('what does not fit is said and stays to be corrected; too late is said, too', async () => {
  const questions = [questionOf({ fields: [] })];
  const program = page(questions);
  program.transport.answers.AnswerQuestion = () => {
    throw new CallError('usage', 'the answer does not fit: Name is missing', 'correct it, or decline the question');
  };
  await userEvent.click(await screen.findByRole('button', { name: 'Answer' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Accept' }));
  expect(await screen.findByText(/Name is missing/)).toBeTruthy();
  program.transport.answers.AnswerQuestion = ({ id }) => {
    questions.length = 0;
    return { id, accepted: false };
  };
  await userEvent.click(screen.getByRole('button', { name: 'Accept' }));
  expect(await screen.findByText(/Somebody else answered/)).toBeTruthy();
});

test('questions come and go with the signals of the program', async () => {
  const questions: Question[] = [];
  const program = page(questions);
  await userEvent.click(await screen.findByRole('button', { name: 'Chat' }));
  await screen.findByRole('textbox', { name: 'Message' });
  questions.push(questionOf(), questionOf({ id: 'q2', server: 'other' }));
  act(() => program.transport.signal({ topic: 'questions' }));
  expect(await screen.findByRole('region', { name: 'Server other asks' })).toBeTruthy();
  questions.length = 0;
  act(() => program.transport.signal({ topic: 'questions' }));
  await waitFor(() => expect(screen.queryByRole('region', { name: /asks/ })).toBeNull());
});

test('every kind of field is a native one with its bounds', async () => {
  page([
    questionOf({
      fields: [
        fieldOf({ name: 't', title: 'Text', required: true, min_length: 2, max_length: 4, default: '"abc"', description: 'Two to four.' }),
        fieldOf({ name: 'e', title: 'Mail', format: 'email' }),
        fieldOf({ name: 'u', title: 'Address', format: 'uri' }),
        fieldOf({ name: 'd', title: 'Day', format: 'date', default: '"2026-11-30"' }),
        fieldOf({ name: 'i', title: 'Whole', kind: 'integer', minimum: 1, maximum: 9, default: '5' }),
        fieldOf({ name: 'n', title: 'Part', kind: 'number' }),
        fieldOf({ name: 'b', title: 'Sure', kind: 'switch', default: 'true' }),
        fieldOf({ name: 'c', title: 'One', kind: 'choice', options: [{ value: 'a', label: 'Apple' }, { value: 'b', label: 'Berry' }], default: '"b"' }),
        fieldOf({ name: 'm', title: 'Some', kind: 'choices', options: [{ value: 'x', label: 'X' }, { value: 'y', label: 'Y' }], default: '["y"]' }),
      ],
    }),
  ]);
  await userEvent.click(await screen.findByRole('button', { name: 'Answer' }));
  const text = (await screen.findByRole('textbox', { name: /^Text/ })) as HTMLInputElement;
  expect([text.required, text.minLength, text.maxLength, text.value]).toEqual([true, 2, 4, 'abc']);
  expect(document.getElementById(text.getAttribute('aria-describedby') ?? '')?.textContent).toBe('Two to four.');
  const types = ['Mail', 'Address', 'Day', 'Whole', 'Part'].map((name) => (screen.getByLabelText(name) as HTMLInputElement).type);
  expect(types).toEqual(['email', 'url', 'date', 'number', 'number']);
  const whole = screen.getByLabelText('Whole') as HTMLInputElement;
  expect([whole.min, whole.max, whole.step, whole.value]).toEqual(['1', '9', '1', '5']);
  expect(screen.getByRole('switch', { name: 'Sure' }).getAttribute('aria-checked')).toBe('true');
  expect((screen.getByLabelText('One') as HTMLSelectElement).selectedOptions[0]?.textContent).toBe('Berry');
  expect((within(screen.getByRole('group', { name: /Some/ })).getByLabelText('Y') as HTMLInputElement).checked).toBe(true);
  await userEvent.click(screen.getByRole('switch', { name: 'Sure' }));
  const form = text.form;
  if (!form) throw new Error('no form');
  expect(form.checkValidity()).toBe(true);
});

test('an answer leaves out what was left empty, and any name is one like any other', () => {
  const fields = [
    fieldOf({ name: '__proto__' }),
    fieldOf({ name: 'e' }),
    fieldOf({ name: 'i', kind: 'integer' }),
    fieldOf({ name: 'b', kind: 'switch' }),
    fieldOf({ name: 'c', kind: 'choice', options: [{ value: 'a"', label: 'A' }] }),
    fieldOf({ name: 'm', kind: 'choices', options: [{ value: 'x', label: 'X' }, { value: 'y', label: 'Y' }] }),
    fieldOf({ name: 'o', kind: 'choices', options: [] }),
    fieldOf({ name: 'w', format: 'date-time' }),
  ];
  const data = new FormData();
  for (const [name, value] of [['field:0', 'p'], ['field:1', ''], ['field:2', '7'], ['field:3', ''], ['field:4', '0'], ['field:5', '1'], ['field:7', '2026-11-30T12:00:00']] as const) data.append(name, value);
  const when = new Date('2026-11-30T12:00:00').toISOString();
  expect(contentOf(fields, data)).toBe(`{"__proto__":"p","i":7,"b":false,"c":"a\\"","m":["y"],"w":"${when}"}`);
});

test('the question is asked in every language', async () => {
  page([questionOf()], 'de');
  expect((await screen.findAllByText(/Der Server demo fragt/)).length).toBeGreaterThan(0);
});

test('the way to a question leads to its chat, and into its form', async () => {
  const program = page([questionOf({ session: 's1' })]);
  program.transport.answers.Transcript = () => ({ session: 's1', running: true, events: [{ type: 'user', text: 'Ask me' }] }) as never;
  await userEvent.click(await screen.findByRole('button', { name: 'Answer' }));
  expect(await screen.findByText('Ask me')).toBeTruthy();
  expect(program.transport.calls('Transcript')).toEqual([['s1']]);
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('textbox', { name: /^Name/ })));
});

test('what was left out is said in the page’s words, at its field', async () => {
  const program = page([questionOf()], 'de');
  await userEvent.click(await screen.findByRole('button', { name: 'Antworten' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Antwort senden' }));
  const field = screen.getByRole('textbox', { name: /^Name/ });
  expect(field.getAttribute('aria-invalid')).toBe('true');
  expect(document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent).toBe('Das hier ist nötig.');
  expect(document.activeElement).toBe(field);
  expect(program.transport.calls('AnswerQuestion')).toEqual([]);
  await userEvent.type(field, 'Ada{Enter}');
  await waitFor(() => expect(program.transport.calls('AnswerQuestion')).toHaveLength(1));
});
