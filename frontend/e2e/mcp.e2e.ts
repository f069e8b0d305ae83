// The MCP place against the real program and the real npm filesystem server.
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { closeBrowser, Home, open, Serve, type View } from './harness';

const config = `# Kept comment
mcp_servers:
  demo:
    command: node
    args: ["@SERVER@", "@ROOT@"]
    tools:
      include: [read_text_file]  # the last one
  spare: {command: node, args: ["@SERVER@", "@ROOT@"], tools: {include: []}}
model:
  provider: demo
`;

let home: Home;
let serve: Serve;
let view: View;

beforeEach(async () => {
  home = await Home.make(config);
  serve = await Serve.start(home);
});

afterEach(async () => {
  await view.context.close();
  expect(await serve.stop()).toBe(130);
  await home.remove();
});

afterAll(closeBrowser);

/** Opens the page, lets the servers start, and shows one that is connected. */
async function started(name = 'demo'): Promise<View> {
  view = await open(serve.url);
  await view.page.getByRole('button', { name: /^Start \d/ }).click();
  await view.page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
  return view;
}

const tool = (name: string) => view.page.getByRole('switch', { name: `Allow ${name}`, exact: true });
const panel = (words: string) => view.page.getByRole('article').locator('[role=status][data-state]').filter({ hasText: words });

test('nothing starts and nothing is written before a click', async () => {
  view = await open(serve.url);
  await view.page.getByRole('heading', { name: 'Nothing has been started yet' }).waitFor();
  const before = await home.read();
  expect(await view.page.getByText('Connected').count()).toBe(0);
  expect(await home.read()).toBe(before);
});

test('switching off the last tool leaves include: [], and the command line says the same', async () => {
  const { page, complaints } = await started();
  await panel('1 of 14 on, new ones stay off').waitFor();
  await tool('read_text_file').click();
  await panel('Locked - 0 of 14').waitFor();
  await page.getByRole('article').getByText('Locked', { exact: true }).waitFor();
  expect(await home.read()).toBe(config.replaceAll('@ROOT@', `${home.root}/files`).replaceAll('@SERVER@', serverPath(await home.read())).replace('[read_text_file]', '[]'));
  const list = await home.run('mcp', 'list');
  expect(list.code).toBe(0);
  expect(list.out).toMatch(/demo.*0 selected/);
  // And back again: releasing one tool releases one tool.
  await tool('read_text_file').click();
  await panel('1 of 14 on, new ones stay off').waitFor();
  expect(await home.read()).toContain('include: [read_text_file]  # the last one');
  expect(complaints).toEqual([]);
});

function serverPath(text: string): string {
  return /args: \["([^"]+)"/.exec(text)?.[1] ?? '';
}

test('the page follows a change of the file from outside', async () => {
  await started();
  await panel('1 of 14 on, new ones stay off').waitFor();
  const text = await home.read();
  await home.write(text.replace('[read_text_file]', '[read_text_file, list_directory]'));
  await panel('2 of 14 on, new ones stay off').waitFor();
  await view.page.locator('[role=switch][aria-checked=true][aria-label="Allow list_directory"]').waitFor();
  await home.write(text.replace('[read_text_file]', '[]'));
  await panel('Locked - 0 of 14').waitFor();
});

test('a file that breaks is shown with its line, and the rules in force stay', async () => {
  const { page } = await started();
  await panel('1 of 14 on, new ones stay off').waitFor();
  const text = await home.read();
  await home.write(text.replace('[read_text_file]', '[read_text_file'));
  const banner = page.getByRole('alert').filter({ hasText: 'The file cannot be read' });
  await banner.filter({ hasText: /config\.yaml:\d+:\d+/ }).waitFor();
  await panel('1 of 14 on, new ones stay off').waitFor();
  // The same banner in the other place, and once.
  await page.getByRole('button', { name: 'Chat' }).click();
  expect(await banner.count()).toBe(1);
  await page.getByRole('button', { name: 'MCP', exact: true }).click();
  await home.write(text);
  await banner.waitFor({ state: 'detached' });
});

test('an edit against a file that changed meanwhile is not written and rolled back visibly', async () => {
  view = await open(serve.url);
  const { page } = view;
  await page.getByRole('button', { name: /^Start \d/ }).click();
  await page.getByRole('button', { name: /^demo/ }).click();
  await panel('1 of 14 on, new ones stay off').waitFor();
  // From here on this page hears nothing and asks nothing of its own accord.
  await page.route('**/api/events', (route) => route.abort());
  await page.route('**/api/call/Server*', (route) => route.abort());
  const outside = (await home.read()).replace('# Kept comment', '# Another comment');
  await home.write(outside);
  await expect.poll(async () => (await home.run('mcp', 'list', '--json')).out).toContain('"revision"');
  await tool('read_text_file').click();
  await page.getByRole('alert').filter({ hasText: 'Not written' }).waitFor();
  await page.locator('[role=switch][aria-checked=true][aria-label="Allow read_text_file"]').waitFor();
  expect(await home.read()).toBe(outside);
});

test('a locked server is looked at by a click, and one tool of it released', async () => {
  const { page } = await started('spare');
  await panel('Locked').waitFor();
  await page.getByRole('button', { name: 'Look at its tools' }).click();
  await tool('list_directory').click();
  await panel('1 of 14 on, new ones stay off').waitFor();
  expect(await home.read()).toContain('tools: {include: [list_directory]}');
});

test('opening a server is its own decision', async () => {
  const { page } = await started();
  await panel('1 of 14 on, new ones stay off').waitFor();
  await page.getByRole('button', { name: 'Open…' }).click();
  await page.getByRole('button', { name: 'Open all tools' }).click();
  await panel('No filter - all 14 on, new ones too').waitFor();
  expect(await home.read()).not.toContain('read_text_file');
  await page.getByRole('button', { name: 'Lock', exact: true }).click();
  await panel('Locked - 0 of 14').waitFor();
  expect((await home.run('mcp', 'list')).out).toMatch(/demo.*0 selected/);
});

test('everything is reached with the keyboard alone', async () => {
  view = await open(serve.url);
  const { page } = view;
  await page.getByRole('heading', { name: 'Nothing has been started yet' }).waitFor();
  await tabTo(/^Start \d/);
  await page.keyboard.press('Enter');
  await page.getByText('Connected').first().waitFor();
  await tabTo(/^demo/);
  await page.keyboard.press('Enter');
  await panel('1 of 14 on, new ones stay off').waitFor();
  await tabTo(/^Allow read_text_file$/);
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle);
  expect(outline).not.toBe('none');
  await page.keyboard.press('Space');
  await panel('Locked - 0 of 14').waitFor();
  expect(await home.read()).toContain('include: []');
  await tabTo(/^Open…$/);
  await page.keyboard.press('Enter');
  await page.getByRole('alertdialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  await expect.poll(focused).toMatch(/^Open…/);
  expect(await home.read()).toContain('include: []');
});

const focused = () =>
  view.page.evaluate(() => {
    const element = document.activeElement;
    return element?.getAttribute('aria-label') ?? element?.textContent ?? '';
  });

/** Presses Tab until something with that name has the focus. */
async function tabTo(name: RegExp): Promise<void> {
  for (let presses = 0; presses < 120; presses++) {
    await view.page.keyboard.press('Tab');
    if (name.test(await focused())) return;
  }
  throw new Error(`Tab never reached ${name}`);
}

test('without the policy module nothing is shown as enabled', async () => {
  view = await open(serve.url, {}, async (page) => {
    await page.route('**/policy.wasm', (route) => route.fulfill({ status: 404, body: '' }));
    await page.goto(serve.url);
  });
  const { page } = view;
  await page.getByRole('alert').filter({ hasText: 'Nothing is shown as enabled' }).waitFor();
  await page.getByRole('button', { name: /^Start \d/ }).click();
  await page.getByRole('button', { name: /^demo/ }).click();
  await tool('read_text_file').waitFor();
  expect(await page.locator('[role=switch][aria-checked=true]').count()).toBe(0);
  await tool('read_text_file').click({ force: true });
  expect(await home.read()).toContain('include: [read_text_file]');
});

test('the address opens the page once; a reload goes on, another browser stays outside', async () => {
  view = await open(serve.url);
  expect(view.page.url()).not.toContain('ticket');
  await view.page.reload();
  await view.page.getByRole('navigation').waitFor();
  const other = await (await view.context.browser())?.newContext();
  const page = await other?.newPage();
  await page?.goto(serve.url);
  await page?.getByRole('heading', { name: 'This address was used already' }).waitFor();
  await other?.close();
});
