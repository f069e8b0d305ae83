// What axe-core says about each view, in both themes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousFindings } from './axe';
import { closeBrowser, Home, open, Serve } from './harness';

const config = `mcp_servers:
  files: {command: node, args: ["@SERVER@", "@ROOT@"], tools: {include: [read_text_file, gone]}}
  archive: {command: node, args: ["@SERVER@", "@ROOT@"], tools: {include: []}}
  broken: {command: node, tools: {include: 42}}
  missing: {command: no-such-program-here}
model: {provider: demo}
`;

let home: Home;
const serves: Serve[] = [];

beforeAll(async () => {
  home = await Home.make(config);
});

afterAll(async () => {
  await Promise.all(serves.map((serve) => serve.stop()));
  await closeBrowser();
  await home.remove();
});

test.each([
  ['light', false],
  ['dark', true],
])('nothing serious in %s', async (_, dark) => {
  const serve = await Serve.start(home);
  serves.push(serve);
  const { page } = await open(serve.url, { dark });
  const found: Record<string, string[]> = {};
  const look = async (what: string) => {
    const findings = await seriousFindings(page);
    if (findings.length > 0) found[what] = findings;
  };
  await page.getByRole('heading', { name: 'Nothing has been started yet' }).waitFor();
  await page.getByRole('region', { name: 'Coming from Hermes Agent' }).waitFor();
  await look('first look');
  await page.getByRole('button', { name: /finding/ }).click();
  await page.getByRole('dialog', { name: 'Audit' }).waitFor();
  await look('audit');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Start \d/ }).click();
  await page.getByRole('button', { name: /^files/ }).click();
  await page.getByRole('article').getByText('Connected').waitFor();
  await page.getByRole('button', { name: 'read_text_file' }).first().click();
  await look('server');
  await page.getByRole('button', { name: 'Open…' }).click();
  await page.getByRole('alertdialog').waitFor();
  await look('open dialog');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^broken/ }).click();
  await page.getByRole('list', { name: 'Problems' }).waitFor();
  await look('invalid server');
  await page.getByRole('button', { name: /^missing/ }).click();
  await page.getByRole('region', { name: 'Connection' }).getByRole('button', { name: 'Try again now' }).waitFor();
  await look('failed server');
  await page.getByRole('button', { name: 'Appearance' }).click();
  await page.getByRole('menu').waitFor();
  await look('menu');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'About Hermes' }).click();
  await page.getByRole('dialog').waitFor();
  await look('about');
  await page.getByRole('button', { name: 'Coming from Hermes Agent' }).click();
  await page.getByRole('dialog', { name: 'Coming from Hermes Agent' }).getByText('Servers that mean something else here').waitFor();
  await look('arrival');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Chat' }).click();
  await page.getByRole('heading', { name: 'What should Hermes do?' }).waitFor();
  await look('empty chat');
  await page.getByRole('textbox', { name: 'Message' }).fill('Skim these files and file a ticket');
  await page.keyboard.press('Enter');
  await page.getByText(/model pass/).waitFor();
  await look('chat');
  expect(found).toEqual({});
});

test('German and Spanish are whole', async () => {
  for (const [locale, heading] of [
    ['de-DE', 'Noch ist nichts gestartet'],
    ['es-ES', 'Todavía no se ha iniciado nada'],
  ] as const) {
    const serve = await Serve.start(home);
    serves.push(serve);
    const { page, context } = await open(serve.url, { locale });
    await page.getByRole('heading', { name: heading }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2));
    await context.close();
  }
});
