// A restriction that is deleted from outside, against the real program: the page
// shows the hold, and each way out does to the file exactly what it says.
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { seriousFindings } from './axe';
import { closeBrowser, Home, open, Serve, type View } from './harness';

const config = `# Kept comment
mcp_servers:
  demo:
    command: node
    args: ["@SERVER@", "@ROOT@"]
    tools:
      include: [read_text_file]  # only this one
  spare: {command: node, args: ["@SERVER@", "@ROOT@"], tools: {include: []}}
model:
  provider: demo
`;

let home: Home;
let serve: Serve;
let view: View;
let whole = '';

beforeEach(async () => {
  home = await Home.make(config);
  whole = await home.read();
  serve = await Serve.start(home);
  view = await open(serve.url);
});

afterEach(async () => {
  await view.context.close();
  expect(await serve.stop()).toBe(130);
  await home.remove();
});

afterAll(closeBrowser);

const tool = (name: string) => view.page.getByRole('switch', { name: `Allow ${name}`, exact: true });
const panel = (words: string) => view.page.getByRole('article').locator('[role=status][data-state]').filter({ hasText: words });
const banner = () => view.page.getByRole('region', { name: 'Held' });
const dialog = () => view.page.getByRole('alertdialog');
const deleted = () => whole.replace('    tools:\n      include: [read_text_file]  # only this one\n', '');

/** Lets an edit through Hermes make the ledger, then deletes the key as a clean-up script would. */
async function held(): Promise<void> {
  const { page } = view;
  await page.getByRole('button', { name: /^Start \d/ }).click();
  await page.getByRole('button', { name: /^demo/ }).click();
  await panel('1 of 14 on, new ones stay off').waitFor();
  await tool('list_directory').click();
  await panel('2 of 14 on, new ones stay off').waitFor();
  await tool('list_directory').click();
  await panel('1 of 14 on, new ones stay off').waitFor();
  await expect.poll(() => home.read()).toBe(whole);
  await home.write(deleted());
  await banner().waitFor();
}

test('a deleted key is held, shown, and can be written back', async () => {
  await held();
  const { page, complaints } = view;
  await page.getByRole('button', { name: /^demo/ }).filter({ hasText: 'Hermes still holds it' }).waitFor();
  expect(await page.locator('[role=switch][aria-checked=true]').count()).toBe(1);
  expect(await tool('read_text_file').getAttribute('aria-checked')).toBe('true');
  expect(await seriousFindings(page)).toEqual([]);
  await banner().getByRole('button', { name: 'Write the restriction back…' }).click();
  await dialog().getByText('1 of 14 on, new ones stay off').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  // The focus stays inside of the question.
  for (let presses = 0; presses < 4; presses++) await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.closest('[role=alertdialog]') !== null)).toBe(true);
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  expect(await home.read()).toBe(deleted());
  await banner().getByRole('button', { name: 'Write the restriction back…' }).click();
  await dialog().getByRole('button', { name: 'Write it back' }).click();
  await banner().waitFor({ state: 'detached' });
  await panel('1 of 14 on, new ones stay off').waitFor();
  // The key stands there again and nothing else of the file moved.
  const now = await home.read();
  expect(now).toContain('include: [read_text_file]');
  expect(now.replace(/ {4}tools:[^\n]*\n(?: {6}[^\n]*\n)?(?= {2}spare)/, '')).toBe(deleted());
  expect((await home.run('mcp', 'list')).out).toMatch(/demo.*1 selected/);
  expect(complaints).toEqual([]);
});

test('accepting the change opens the server and leaves the file alone', async () => {
  await view.context.close();
  // A used address opens nothing again: another run, dark and narrow.
  expect(await serve.stop()).toBe(130);
  serve = await Serve.start(home);
  view = await open(serve.url, { dark: true, width: 900, height: 700 });
  await held();
  expect(await seriousFindings(view.page)).toEqual([]);
  await banner().getByRole('button', { name: 'Accept the change…' }).click();
  await dialog().getByText('No filter - all 14 on, new ones too').waitFor();
  await dialog().getByRole('button', { name: 'Accept the change' }).click();
  await banner().waitFor({ state: 'detached' });
  await panel('No filter - all 14 on, new ones too').waitFor();
  expect(await home.read()).toBe(deleted());
  expect((await home.run('mcp', 'list')).out).toMatch(/demo.* all/);
});

test('locking writes the empty list', async () => {
  await held();
  await banner().getByRole('button', { name: 'Lock…' }).click();
  await dialog().getByRole('button', { name: 'Lock', exact: true }).click();
  await banner().waitFor({ state: 'detached' });
  await panel('Locked').waitFor();
  expect(await home.read()).toContain('include: []');
  expect((await home.run('mcp', 'list')).out).toMatch(/demo.*0 selected/);
});

test('a change from outside that allows more is told with its line', async () => {
  const { page } = view;
  await page.getByRole('button', { name: /^Start \d/ }).click();
  await page.getByRole('button', { name: /^demo/ }).click();
  await panel('1 of 14 on, new ones stay off').waitFor();
  await home.write(whole.replace('[read_text_file]', '[read_text_file, write_file]'));
  const notice = page.getByRole('alert').filter({ hasText: 'Opened by a change of the file' });
  await notice.getByText('demo/write_file').waitFor();
  expect(await notice.textContent()).toContain('config.yaml:7');
  await notice.getByRole('button', { name: 'Dismiss this notice' }).click();
  await notice.waitFor({ state: 'detached' });
});

test('locking to the current selection writes exactly the ticked tools', async () => {
  const { page } = view;
  await home.write(whole.replace('include: [read_text_file]', 'exclude: [write_file, edit_file]'));
  // Started before this is read, the list that goes would be in force, and held from then on.
  await page.getByRole('alert').filter({ hasText: 'Opened by a change of the file' }).waitFor();
  await page.getByRole('button', { name: /^Start \d/ }).click();
  await page.getByRole('button', { name: /^demo/ }).click();
  await panel('12 of 14 on, new ones too').waitFor();
  const ticked = await page.locator('[role=switch][aria-checked=true]').evaluateAll((all) => all.map((one) => (one.getAttribute('aria-label') ?? '').replace('Allow ', '')));
  expect(ticked).toHaveLength(12);
  await page.getByRole('button', { name: 'Lock to the current selection…' }).click();
  await dialog().getByText('12 of 14 on, new ones stay off').waitFor();
  await dialog().getByRole('button', { name: 'Lock to these' }).click();
  await panel('12 of 14 on, new ones stay off').waitFor();
  // Nothing but the whitelist of these names stands there now, to the byte; the
  // comment on the replaced line went with it.
  expect(await home.read()).toBe(whole.replace('[read_text_file]  # only this one', `[${ticked.join(', ')}]`));
  expect((await home.run('mcp', 'list')).out).toMatch(/demo.*12 selected/);
});
