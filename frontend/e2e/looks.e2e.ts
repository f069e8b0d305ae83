// Leaves screenshots for people to look at; it asserts only that the page is not empty.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeBrowser, Home, open, Serve, shots } from './harness';

const config = `mcp_servers:
  files:
    command: node
    args: ["@SERVER@", "@ROOT@"]
    tools:
      include: [read_text_file, list_directory]
  archive:
    command: node
    args: ["@SERVER@", "@ROOT@"]
    tools:
      include: []
  reports:
    command: node
    args: ["@SERVER@", "@ROOT@"]
  drafts:
    command: node
    args: ["@SERVER@", "@ROOT@"]
    tools:
      exclude: [write_file, "move_*"]
  broken:
    command: node
    args: ["@SERVER@", "@ROOT@"]
    tools:
      include: true
model:
  provider: demo
`;

const looks = [
  { name: 'light', dark: false, width: 1280, height: 800 },
  { name: 'dark', dark: true, width: 1280, height: 800 },
  { name: 'small-light', dark: false, width: 800, height: 600 },
  { name: 'small-dark', dark: true, width: 800, height: 600 },
];

let home: Home;
let demo: Home;
let serves: Serve[] = [];

beforeAll(async () => {
  await mkdir(shots, { recursive: true });
  home = await Home.make(config);
  demo = await Home.make(null);
});

afterAll(async () => {
  await Promise.all(serves.map((serve) => serve.stop()));
  await closeBrowser();
  await Promise.all([home.remove(), demo.remove()]);
});

async function serve(on: Home): Promise<string> {
  const running = await Serve.start(on);
  serves.push(running);
  return running.url;
}

test.each(looks)('$name', async ({ name, ...options }) => {
  const shot = (what: string) => ({ path: join(shots, `${what}-${name}.png`) });
  const { page } = await open(await serve(home), options);
  await page.getByRole('heading', { name: 'Nothing has been started yet' }).waitFor();
  await page.screenshot(shot('first-look'));
  await page.getByRole('button', { name: /^Start \d/ }).click();
  await page.getByRole('button', { name: /^files/ }).click();
  await page.getByRole('switch', { name: 'Allow write_file' }).waitFor();
  await page.screenshot(shot('server'));
  await page.getByRole('button', { name: 'read_text_file' }).first().click();
  await page.screenshot(shot('tool'));
  await page.getByRole('button', { name: /^archive/ }).click();
  await page.getByRole('button', { name: 'Look at its tools' }).click();
  await page.getByRole('switch').first().waitFor();
  await page.screenshot(shot('locked'));
  await page.getByRole('button', { name: 'Open…' }).click();
  await page.getByRole('alertdialog').waitFor();
  await page.screenshot(shot('open'));
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: /^broken/ }).click();
  await page.getByRole('list', { name: 'Problems' }).waitFor();
  await page.screenshot(shot('invalid'));

  await page.getByRole('button', { name: 'About Hermes' }).click();
  await page.getByRole('dialog').waitFor();
  await page.screenshot(shot('about'));

  const chat = await open(await serve(demo), options);
  await chat.page.getByRole('region', { name: 'This is the built-in demo.' }).waitFor();
  await chat.page.screenshot(shot('demo'));
  await chat.page.getByRole('button', { name: 'Chat' }).click();
  await chat.page.getByRole('button', { name: 'Skim these files' }).waitFor();
  await chat.page.screenshot(shot('chat-empty'));
  await chat.page.getByRole('button', { name: 'Skim these files' }).click();
  await chat.page.getByText(/model pass/).waitFor();
  await chat.page.screenshot(shot('chat'));
  await chat.page.locator('[data-call] > button').first().click();
  await chat.page.screenshot(shot('call'));
  expect(await chat.page.locator('[data-call]').count()).toBeGreaterThan(0);
});

const states = `mcp_servers:
  files: {command: node, args: ["@SERVER@", "@ROOT@"], tools: {include: [read_text_file, list_directory]}}
  ends: {command: "false"}
  missing: {command: no-such-program-here}
  slow: {command: sleep, args: ["600"]}
  lazy: {command: node, args: ["@SERVER@", "@ROOT@"], lazy: true}
  archive: {command: node, args: ["@SERVER@", "@ROOT@"], tools: {include: []}}
model: {provider: demo}
`;

test.each([
  { name: 'en-light', locale: 'en-US', dark: false, start: /^Start \d/ },
  { name: 'de-dark', locale: 'de-DE', dark: true, start: /^\d Server starten/ },
])('servers in every state, $name', async ({ name, locale, dark, start }) => {
  const mixed = await Home.make(states);
  try {
    const { page } = await open(await serve(mixed), { locale, dark });
    await page.getByRole('button', { name: start }).click();
    for (const server of ['files', 'ends', 'missing', 'slow']) {
      await page.getByRole('button', { name: new RegExp(`^${server}`) }).click();
      const session = page.getByRole('article', { name: server }).getByRole('region', { name: /Connection|Verbindung/ });
      if (server === 'files') await session.getByText(/\d MB/).waitFor();
      else if (server !== 'slow') await session.getByRole('button').waitFor();
      else await session.waitFor();
      await page.screenshot({ path: join(shots, `state-${server}-${name}.png`) });
    }
    expect(await page.locator('aside li').count()).toBe(6);
  } finally {
    await serves.pop()?.stop();
    await mixed.remove();
  }
});
