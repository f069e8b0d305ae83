// A real program, an untrusted server, and the card on which a person answers.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, expect, test } from 'vitest';
import { seriousFindings } from './axe';
import { closeBrowser, Home, open, peer, Serve, shots, type Look, type View } from './harness';
import { ScriptedModel } from './model';

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

const tools = [
  { name: 'look', description: 'Reads a file.', annotations: { readOnlyHint: true } },
  { name: 'drop', description: 'Deletes a file.', annotations: { destructiveHint: true, openWorldHint: true } },
];

const entry = (rules: string) => `mcp_servers:
  vault: {command: node, args: ["${peer}", "${join(home.root, 'files', 'tools.json')}"], trust: untrusted${rules}}
model: {provider: openai, default: scripted, base_url: "${model.url}", api_key: test-key-of-no-worth}
`;

const words = {
  'en-US': { start: 'Start 1 server', connected: 'Connected', chat: 'Chat', field: 'Message', card: /Hermes wants to call/ },
  'de-DE': { start: '1 Server starten', connected: 'Verbunden', chat: 'Chat', field: 'Nachricht', card: /Hermes will .* aufrufen/ },
  'es-ES': { start: 'Iniciar 1 servidor', connected: 'Conectado', chat: 'Chat', field: 'Mensaje', card: /Hermes quiere llamar/ },
} as const;

async function begin(options: Look & { locale?: keyof typeof words } = {}): Promise<Page> {
  await mkdir(shots, { recursive: true });
  model = await ScriptedModel.start();
  home = await Home.make('');
  await writeFile(join(home.root, 'files', 'tools.json'), JSON.stringify(tools));
  await home.write(entry(''));
  serve = await Serve.start(home);
  view = await open(serve.url, options);
  const said = words[options.locale ?? 'en-US'];
  await view.page.getByRole('button', { name: said.start }).click();
  await view.page.getByText(said.connected).first().waitFor();
  await view.page.getByRole('button', { name: said.chat }).click();
  return view.page;
}

async function ask(field = 'Message'): Promise<void> {
  model.script(
    {
      calls: [
        { call: 'mcp__vault__look', args: { path: 'notes.txt', lines: [1, 2] } },
        { call: 'mcp__vault__drop', args: { path: 'old\u200btes.txt', force: true } },
      ],
    },
    { text: ['It is done.'] },
  );
  await view.page.getByRole('textbox', { name: field }).fill('Tidy up my notes');
  await view.page.keyboard.press('Enter');
}

const cards = (page: Page) => page.getByRole('region', { name: /Hermes wants to call/ });

/** Waits until the buttons of a card count, and are drawn so. */
async function settled(card: Locator): Promise<void> {
  await expect.poll(() => card.locator('button:enabled').evaluateAll((all) => all.every((one) => getComputedStyle(one).opacity === '1'))).toBe(true);
}

/** What the model was told of each call. */
const told = () => (model.requests.at(-1)?.messages ?? []).filter((one) => one.role === 'tool').map((one) => String(one.content));

test('one call of a batch is allowed and the other denied, for a reason that the model reads', async () => {
  const page = await begin();
  await ask();
  const card = cards(page);
  await card.waitFor();
  // Nothing is picked, and neither Enter nor a click before the card has stood allows anything.
  expect(await card.getByRole('checkbox', { checked: true }).count()).toBe(0);
  expect(await card.getByRole('button', { name: 'Tick what to allow' }).isDisabled()).toBe(true);
  await card.getByText('You do not trust this server.').first().waitFor();
  await card.getByText('may destroy').waitFor();
  expect(await card.locator('mark').allTextContents()).toEqual(['\\u{200B}']);
  expect(await page.locator('[data-call][data-waits]').count()).toBe(2);
  await settled(card);
  expect(await seriousFindings(page)).toEqual([]);
  await page.screenshot({ path: join(shots, 'approval-light.png') });
  // It is told in the other place, too.
  await page.getByRole('button', { name: 'MCP' }).click();
  await page.getByText('1 question waits for you').waitFor();
  await page.screenshot({ path: join(shots, 'approval-banner.png') });
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await card.getByRole('checkbox', { name: /Allow 1: vault › look/ }).check();
  await card.getByRole('combobox', { name: 'Allow' }).selectOption('session');
  await card.getByRole('listitem').filter({ hasText: 'drop' }).getByRole('textbox').fill('I still need it');
  await page.screenshot({ path: join(shots, 'approval-picked.png') });
  await card.getByRole('button', { name: 'Allow 1, deny 1' }).click();
  await page.getByText('It is done.').waitFor();
  await card.waitFor({ state: 'detached' });
  expect(told()[0]).toContain('done');
  expect(told()[1]).toContain('I still need it');
  expect(await page.locator('[data-call][data-status=ok]').count()).toBe(1);
  await page.locator('[data-call][data-status=denied] > button').click();
  await page.getByText(/was not sent: the rules or a person said no/).waitFor();
  await page.screenshot({ path: join(shots, 'approval-after.png') });
  expect(await seriousFindings(page)).toEqual([]);
  // The answer for the conversation stands at the server, and can be taken back.
  await page.getByRole('button', { name: 'MCP' }).click();
  const grants = page.getByRole('region', { name: 'Your standing answers' });
  await grants.getByText('in this conversation').waitFor();
  await page.screenshot({ path: join(shots, 'grants.png') });
  await grants.getByRole('button', { name: 'Take back the yes to look' }).click();
  await grants.waitFor({ state: 'detached' });
  expect(view.complaints).toEqual([]);
});

/** Another tab of the same run. */
async function another(): Promise<Page> {
  const token = await view.page.evaluate(() => window.sessionStorage.getItem('hermes.token'));
  const page = await view.context.newPage();
  await page.addInitScript((value) => window.sessionStorage.setItem('hermes.token', value), token ?? '');
  await page.goto(view.page.url());
  await page.getByRole('button', { name: 'Chat' }).click();
  return page;
}

test('the first answer wins: a card that was answered in another tab says so and goes', async () => {
  const page = await begin();
  await ask();
  await cards(page).waitFor();
  const other = await another();
  await cards(other).getByRole('button', { name: 'Deny all' }).click();
  await page.getByText('No longer asked').waitFor();
  expect(await cards(page).count()).toBe(0);
  await page.getByText('It is done.').waitFor();
  expect(told().every((text) => !text.includes('done'))).toBe(true);
});

test('a lock while the card is open takes its calls back', async () => {
  const page = await begin();
  await ask();
  await cards(page).waitFor();
  await home.write(entry(', tools: {include: [look]}'));
  await page.getByRole('region', { name: 'Hermes wants to call 1 tool' }).waitFor();
  // What is left of two keeps its box: nothing that was not picked goes with the button.
  expect(await cards(page).getByRole('button', { name: 'Tick what to allow' }).isDisabled()).toBe(true);
  await home.write(entry(', tools: {include: []}'));
  await cards(page).waitFor({ state: 'detached' });
  await page.getByText('It is done.').waitFor();
  expect(await page.locator('[data-call][data-status=ok]').count()).toBe(0);
});

test('stop while the card is open sends nothing', async () => {
  const page = await begin();
  await ask();
  await cards(page).waitFor();
  // What is written meanwhile is kept and not sent.
  await page.getByRole('textbox', { name: 'Message' }).fill('And then?');
  await page.keyboard.press('Enter');
  await page.getByText(/Not sent: Hermes is still at work/).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await cards(page).waitFor({ state: 'detached' });
  await page.getByText(/^Stopped/).waitFor();
  expect(await page.locator('[data-call][data-status=interrupted]').count()).toBe(2);
  expect(model.requests).toHaveLength(1);
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('And then?');
});

test('the card comes back when the page is loaded again, and is answered by keys alone', async () => {
  const page = await begin();
  await ask();
  await cards(page).waitFor();
  await page.reload();
  await page.getByText('1 question waits for you').waitFor();
  await page.getByRole('button', { name: 'Answer', exact: true }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => cards(page).evaluate((one) => one === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Allow 1: vault › look');
  await page.keyboard.press('Space');
  const allow = cards(page).getByRole('button', { name: 'Allow 1, deny 1' });
  await expect.poll(() => allow.isEnabled()).toBe(true);
  await allow.focus();
  await page.keyboard.press('Enter');
  await page.getByText('It is done.').waitFor();
  expect(await page.locator('[data-call][data-status=ok]').count()).toBe(1);
  expect(await page.locator('[data-call][data-status=denied]').count()).toBe(1);
});

test('what is opened while the agent is at work waits, until a person takes it', async () => {
  const page = await begin();
  await home.write(entry(', tools: {include: [look]}'));
  model.script({ call: 'mcp__vault__look', args: {} }, { text: ['It is done.'] });
  await page.getByRole('textbox', { name: 'Message' }).fill('Look');
  await page.keyboard.press('Enter');
  await cards(page).waitFor();
  await home.write(entry(', tools: {include: [look, drop]}'));
  const banner = page.getByRole('alert').filter({ hasText: 'Waits: changed while the agent was at work' });
  await banner.waitFor();
  await banner.getByText(/vault\//).waitFor();
  await settled(cards(page));
  expect(await seriousFindings(page)).toEqual([]);
  await page.screenshot({ path: join(shots, 'waiting.png') });
  await banner.getByRole('button', { name: 'Take it now' }).click();
  await banner.waitFor({ state: 'detached' });
  await cards(page).getByRole('button', { name: 'Deny' }).click();
  await page.getByText('It is done.').waitFor();
});

test('what was said is found again, saved as a file and deleted', async () => {
  const page = await begin();
  model.script({ text: ['The heron stands in the reeds.'] });
  await page.getByRole('textbox', { name: 'Message' }).fill('Where is the bird?');
  await page.keyboard.press('Enter');
  await page.getByText(/tokens in|model pass/).first().waitFor();
  const list = page.getByRole('complementary', { name: 'Conversations' });
  await list.getByRole('searchbox').fill('heron');
  await list.getByText('1 conversation').waitFor();
  await list.getByText(/heron stands/).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.screenshot({ path: join(shots, 'sessions-search.png') });
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as a JSON file' }).click();
  expect((await saving).suggestedFilename()).toMatch(/^hermes-.*\.json$/);
  await list.getByRole('searchbox').fill('stork');
  await list.getByText('Nothing like that was said.').waitFor();
  await list.getByRole('searchbox').fill('');
  await page.getByRole('button', { name: 'Delete this conversation' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete for good' }).click();
  await list.getByText('Past conversations appear here.').waitFor();
  await page.getByRole('heading', { name: 'What should Hermes do?' }).waitFor();
});

test.each([
  { name: 'dark', dark: true, locale: 'en-US' as const },
  { name: 'narrow', width: 640, height: 800, locale: 'en-US' as const },
  { name: 'german', locale: 'de-DE' as const },
  { name: 'spanish', dark: true, locale: 'es-ES' as const },
])('the card, $name', async ({ name, ...options }) => {
  const page = await begin(options);
  const said = words[options.locale];
  await ask(said.field);
  const card = page.getByRole('region', { name: said.card });
  await card.waitFor();
  await settled(card);
  expect(await seriousFindings(page)).toEqual([]);
  await page.screenshot({ path: join(shots, `approval-${name}.png`) });
  // The buttons are in reach, whatever the width.
  expect(await card.getByRole('button').last().evaluate((one) => one.getBoundingClientRect().bottom <= window.innerHeight)).toBe(true);
});
