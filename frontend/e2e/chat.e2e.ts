// The Chat place: the built-in demo, and a scripted model with the real npm server.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { closeBrowser, Home, open, Serve, type View } from './harness';
import { ScriptedModel } from './model';

let home: Home;
let serve: Serve;
let view: View;
let model: ScriptedModel | null = null;

afterEach(async () => {
  await view.context.close();
  expect(await serve.stop()).toBe(130);
  await home.remove();
  await model?.stop();
  model = null;
});

afterAll(closeBrowser);

async function begin(config: string | null): Promise<View> {
  home = await Home.make(config);
  serve = await Serve.start(home);
  view = await open(serve.url);
  return view;
}

async function scripted(): Promise<ScriptedModel> {
  model = await ScriptedModel.start();
  const { page } = await begin(`mcp_servers:
  files: {command: node, args: ["@SERVER@", "@ROOT@"], tools: {include: [read_text_file]}}
model: {provider: openai, default: scripted, base_url: "${model.url}", api_key: test-key-of-no-worth}
`);
  await page.getByRole('button', { name: 'Start 1 server' }).click();
  await page.getByText('Connected').first().waitFor();
  await page.getByRole('button', { name: 'Chat' }).click();
  return model;
}

async function say(text: string): Promise<void> {
  await view.page.getByRole('textbox', { name: 'Message' }).fill(text);
  await view.page.keyboard.press('Enter');
}

test('the demo home runs its batch: three calls, each with server, tool and result', async () => {
  const { page, complaints } = await begin(null);
  await page.getByRole('region', { name: 'This is the built-in demo.' }).waitFor();
  await page.getByRole('button', { name: 'Chat' }).click();
  await page.getByText('Offline demo model', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Skim these files and file a ticket' }).click();
  await page.getByText(/2 model passes · 3 tool calls/).waitFor();
  await expect.poll(() => page.locator('[data-call][data-status=ok]').count()).toBe(3);
  const calls = await page.locator('[data-call]').allTextContents();
  expect(calls.map((text) => text.split(' › ')[0])).toEqual(['files', 'git', 'tickets']);
  await page.locator('[data-call] > button').last().click();
  await page.getByLabel('Result').filter({ hasText: 'ticket' }).waitFor();
  // It is in the list, and another look at it shows the same.
  await page.getByRole('button', { name: 'New chat' }).click();
  await page.getByRole('heading', { name: 'What should Hermes do?' }).waitFor();
  await page.getByRole('complementary', { name: 'Conversations' }).getByRole('button', { name: /Skim these files/ }).click();
  await expect.poll(() => page.locator('[data-call][data-status=ok]').count()).toBe(3);
  await page.reload();
  await page.getByRole('button', { name: 'Chat' }).click();
  await page.getByRole('complementary', { name: 'Conversations' }).getByRole('button', { name: /Skim these files/ }).click();
  await expect.poll(() => page.locator('[data-call][data-status=ok]').count()).toBe(3);
  expect(complaints).toEqual([]);
});

test('a real file is read through the real server; a long result comes whole from /data/', async () => {
  const server = await scripted();
  const long = `${'A line of a long file.\n'.repeat(1000)}The last line.\n`;
  await writeFile(join(home.root, 'files', 'long.txt'), long);
  server.script({ call: 'mcp__files__read_text_file', args: { path: join(home.root, 'files', 'long.txt') } }, { text: ['It is ', '**long**', '.'] });
  await say('Read the long file');
  const { page } = view;
  await page.getByText('It is long.').waitFor();
  await page.locator('[data-call][data-status=ok] > button').click();
  const shown = page.getByLabel('Result');
  expect(await shown.textContent()).not.toContain('The last line.');
  await page.getByRole('button', { name: /^Show all/ }).click();
  await shown.filter({ hasText: 'The last line.' }).waitFor();
});

test('a tool that is off is not called, and the chat says so', async () => {
  const server = await scripted();
  server.script({ call: 'mcp__files__write_file', args: { path: join(home.root, 'files', 'new.txt'), content: 'x' } }, { text: ['It was denied.'] });
  await say('Write a file');
  const { page } = view;
  await page.getByText('It was denied.').waitFor();
  expect(await page.locator('[data-call][data-status=ok]').count()).toBe(0);
  await expect(writeFile(join(home.root, 'files', 'new.txt'), '', { flag: 'wx' })).resolves.toBeUndefined();
});

test('text is shown while it streams, and stop cuts the stream off', async () => {
  const server = await scripted();
  // The last word is whole: one that may still become a known secret waits for what follows.
  server.script({ text: ['I begin to ', 'talk and '], endless: true });
  await say('Talk on');
  const { page } = view;
  await page.locator('[data-provisional]').filter({ hasText: 'I begin to talk and' }).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await server.untilCut();
  await page.getByText(/^Stopped/).waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor();
  // The conversation goes on.
  server.script({ text: ['Here again.'] });
  await say('Still there?');
  await page.getByText('Here again.').waitFor();
});

test('a model that cannot be used is said, and the message stays in the field', async () => {
  const { page } = await begin(`mcp_servers: {}\nmodel: {provider: openai, default: some-model}\n`);
  await page.getByRole('button', { name: 'Chat' }).click();
  await page.getByText('No model').waitFor();
  await page.getByText(/OPENAI_API_KEY/).first().waitFor();
});
