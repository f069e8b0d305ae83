// What a real server asks, put before a person in the page.
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { seriousFindings } from './axe';
import { closeBrowser, Home, open, repository, Serve, shots, type View } from './harness';
import { ScriptedModel } from './model';

const everything = join(repository, 'testdata/npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js');

let home: Home;
let serve: Serve;
let view: View;
let model: ScriptedModel;

afterEach(async () => {
  await view.context.close();
  expect(await serve.stop()).toBe(130);
  await home.remove();
  await model.stop();
});

afterAll(closeBrowser);

function config(rules: string): string {
  return `mcp_servers:
  every: {command: node, args: ["${everything}", stdio]${rules}}
model: {provider: openai, default: scripted, base_url: "${model.url}", api_key: test-key-of-no-worth}
`;
}

async function begin(rules: string): Promise<View> {
  model = await ScriptedModel.start();
  home = await Home.make(config(rules));
  serve = await Serve.start(home);
  view = await open(serve.url);
  const { page } = view;
  await page.getByRole('button', { name: 'Start 1 server' }).click();
  await page.getByText('Connected').first().waitFor();
  await page.getByRole('button', { name: 'Chat' }).click();
  return view;
}

async function ask(): Promise<void> {
  model.script({ call: 'mcp__every__trigger_elicitation_request', args: {} }, { text: ['It is done.'] });
  await view.page.getByRole('textbox', { name: 'Message' }).fill('Let it ask');
  await view.page.keyboard.press('Enter');
}

const card = () => view.page.getByRole('region', { name: 'Server every asks' });

/** What the model was told of the call. */
const told = () => String(model.requests.at(-1)?.messages.findLast((one) => one.role === 'tool')?.content);

test('a form of a real server is filled in, and the server gets exactly that', async () => {
  const { page, complaints } = await begin('');
  await ask();
  await card().waitFor();
  // It is told in the other place, too.
  await page.getByRole('button', { name: 'MCP' }).click();
  await page.getByText('1 question waits for you').waitFor();
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  // What is needed is needed: the browser does not let an empty form go.
  await card().getByRole('button', { name: 'Send answer' }).click();
  expect(await card().getByLabel(/^String\b.*needed/).evaluate((one) => one.matches(':invalid'))).toBe(true);
  await card().getByLabel(/^String\b.*needed/).fill('Ada <b>L.</b>');
  await card().getByLabel('String with email format').fill('ada@example.com');
  await card().getByLabel('String with date format').fill('1815-12-10');
  await card().getByLabel('Integer').fill('7');
  await card().getByRole('switch', { name: 'Boolean' }).click();
  await card().getByLabel('Untitled Single Select Enum').selectOption('Joey');
  await card().getByLabel('Piano').check();
  expect(await seriousFindings(page)).toEqual([]);
  await page.screenshot({ path: join(shots, 'question.png') });
  await card().getByRole('button', { name: 'Send answer' }).click();
  await page.getByText('It is done.').waitFor();
  await card().waitFor({ state: 'detached' });
  for (const want of ['Name: Ada <b>L.</b>', 'Email: ada@example.com', 'Birthdate: 1815-12-10', 'Favorite Integer: 7', 'Agreed to terms: true']) expect(told()).toContain(want);
  expect(complaints).toEqual([]);
});

test('a declined question is one, and the server hears just that', async () => {
  const { page } = await begin('');
  await ask();
  await card().getByRole('button', { name: 'Decline' }).click();
  await page.getByText('It is done.').waitFor();
  expect(told()).toContain('declined');
});

test('a question is taken back when its server is locked meanwhile', async () => {
  const { page } = await begin('');
  await ask();
  await card().waitFor();
  await home.write(config(', tools: {include: []}'));
  await card().waitFor({ state: 'detached' });
  await page.getByText('It is done.').waitFor();
  expect(told()).not.toContain('User provided');
});

test('under a whitelist nothing is asked', async () => {
  const { page } = await begin(', tools: {include: ["trigger-*", echo]}');
  await ask();
  await page.getByText('It is done.').waitFor();
  expect(await card().count()).toBe(0);
  expect(told()).not.toContain('User provided');
});
