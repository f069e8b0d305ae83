// The hooks of a file, read and trusted on the page of a real program, and what a
// turn says in the language of the page.
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { seriousFindings } from './axe';
import { closeBrowser, filesystemServer, Home, open, Serve, shots, type Look, type View } from './harness';
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

const script = '#!/bin/sh\n# Lets every call pass.\ncat > /dev/null\nexit 0\n';

const words = {
  'en-US': { start: 'Start 1 server', connected: 'Connected', chat: 'Chat', field: 'Message' },
  'de-DE': { start: '1 Server starten', connected: 'Verbunden', chat: 'Chat', field: 'Nachricht' },
} as const;

const guard = () => join(home.root, 'files', 'guard.sh');

async function begin(options: Look & { locale: keyof typeof words }): Promise<void> {
  await mkdir(shots, { recursive: true });
  model = await ScriptedModel.start();
  home = await Home.make('');
  await writeFile(guard(), script);
  await chmod(guard(), 0o755);
  await home.write(`hooks: {pre_tool_call: [{matcher: "mcp__files__.*", command: "${guard()}"}]}
mcp_servers:
  files: {command: node, args: ["${filesystemServer}", "${join(home.root, 'files')}"], tools: {include: [read_text_file]}}
model: {provider: openai, default: scripted, base_url: "${model.url}", api_key: test-key-of-no-worth}
`);
  serve = await Serve.start(home);
  view = await open(serve.url, options);
  await view.page.getByRole('button', { name: words[options.locale].start }).click();
  await view.page.getByText(words[options.locale].connected).first().waitFor();
}

async function call(field: string): Promise<void> {
  model.script({ call: 'mcp__files__read_text_file', args: { path: join(home.root, 'files', 'notes.txt') } }, { text: ['It is read.'] });
  await view.page.getByRole('textbox', { name: field }).fill('Read my notes');
  await view.page.keyboard.press('Enter');
}

test('a hook is read, trusted by its name, changed, and its trust taken back', async () => {
  await begin({ locale: 'en-US' });
  const { page, complaints } = view;
  const dialog = page.getByRole('dialog', { name: 'Hooks' });
  await page.getByRole('button', { name: '1 hook is not trusted' }).click();
  await dialog.getByText("has nobody's consent yet").waitFor();
  await page.screenshot({ path: join(shots, 'hooks-list-en.png') });
  expect(await seriousFindings(page)).toEqual([]);
  await dialog.getByRole('button', { name: /^Look at the hook/ }).click();
  await dialog.getByText('# Lets every call pass.').waitFor();
  expect(await dialog.getByText(/sha256 [0-9a-f]{64}/).count()).toBeGreaterThan(0);
  await page.screenshot({ path: join(shots, 'hooks-look-en.png') });
  expect(await seriousFindings(page)).toEqual([]);
  const trust = dialog.getByRole('button', { name: 'Trust this hook' });
  const field = dialog.getByRole('textbox', { name: 'Name of the hook' });
  await field.fill('guard');
  expect(await trust.isDisabled()).toBe(true);
  // What changed since it was shown is not trusted, and the new text is shown.
  await writeFile(guard(), `${script}# more\n`);
  await field.fill('guard.sh');
  await trust.click();
  await dialog.getByRole('alert').getByText('Nothing was trusted').waitFor();
  await dialog.getByText('# more').waitFor();
  expect((await home.run('hooks', 'list', '--json')).out).toContain('"untrusted"');
  await field.fill('guard.sh');
  await trust.click();
  await dialog.getByText('It runs for the calls it matches.').waitFor();
  expect(JSON.parse((await home.run('hooks', 'list', '--json')).out)).toMatchObject({ hooks: [{ state: 'trusted' }] });
  expect((await stat(join(home.root, '.hermes', 'native', 'hooks.json'))).mode & 0o777).toBe(0o600);
  await dialog.getByRole('button', { name: 'Back to the list' }).click();
  await dialog.getByText(/^Trusted since/).waitFor();
  await dialog.getByRole('button', { name: /^Revoke trust/ }).click();
  await dialog.getByText('not trusted', { exact: true }).waitFor();
  expect(await readFile(join(home.root, '.hermes', 'native', 'hooks.json'), 'utf8')).not.toContain('guard.sh');
  // The browser notes the one refusal.
  expect(complaints.filter((one) => !one.includes('status of 409'))).toEqual([]);
});

test('what a turn says is said in German, also of a stored conversation', async () => {
  await begin({ locale: 'de-DE' });
  const { page } = view;
  await page.getByRole('button', { name: '1 Hook ohne Vertrauen' }).click();
  await page.getByRole('dialog', { name: 'Hooks' }).getByText('Noch niemand hat ihm vertraut.').waitFor();
  await page.screenshot({ path: join(shots, 'hooks-list-de.png') });
  await page.getByRole('button', { name: /^Ansehen/ }).click();
  await page.getByRole('textbox', { name: 'Name des Hooks' }).waitFor();
  await page.screenshot({ path: join(shots, 'hooks-look-de.png') });
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Chat' }).click();
  await call('Nachricht');
  await page.getByText('It is read.').waitFor();
  const blocked = page.locator('[data-call][data-status=blocked]');
  await blocked.locator('button').first().click();
  await blocked.getByText(/entscheidet über diesen Aufruf und darf nicht laufen\..*Noch niemand hat ihm vertraut\./).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.screenshot({ path: join(shots, 'chat-denied-de.png') });
  await model.stop();
  await page.getByRole('textbox', { name: 'Nachricht' }).fill('Noch einmal');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText(/ist nicht erreichbar: .*Läuft der Server\?/).waitFor();
  await page.screenshot({ path: join(shots, 'chat-error-de.png') });
  await page.reload();
  await page.getByRole('button', { name: 'Chat' }).click();
  await page.getByRole('complementary').getByRole('button', { name: /Read my notes/ }).click();
  await blocked.locator('button').first().click();
  await blocked.getByText(/entscheidet über diesen Aufruf und darf nicht laufen\./).waitFor();
  model = await ScriptedModel.start();
});
