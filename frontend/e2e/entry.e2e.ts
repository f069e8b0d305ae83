// Who gets in where other machines could knock.
import { afterAll, afterEach, expect, test } from 'vitest';
import { closeBrowser, Home, openBrowser, Serve } from './harness';

const password = 'a password of the tests';

let home: Home;
let serve: Serve;

afterEach(async () => {
  expect(await serve.stop()).toBe(130);
  await home.remove();
});

afterAll(closeBrowser);

test('a remote address asks for the password', async () => {
  home = await Home.make(null);
  serve = await Serve.start(home, ['--allow-remote', '--addr', '0.0.0.0:0'], { HERMES_SERVE_PASSWORD: password });
  expect(serve.url).not.toContain('ticket');
  const context = await (await openBrowser()).newContext({ locale: 'en-US' });
  const page = await context.newPage();
  await page.goto(serve.url);
  await page.getByLabel('Password').fill('a wrong one here');
  await page.getByRole('button', { name: 'Enter' }).click();
  await page.getByRole('alert').filter({ hasText: 'wrong' }).waitFor();
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Enter' }).click();
  await page.getByRole('heading', { name: 'MCP servers' }).waitFor();
  await page.getByText('Connected').first().waitFor();
  await context.close();
});

test('a program that started anew does not know the old page, and the page says so', async () => {
  home = await Home.make(null);
  serve = await Serve.start(home, ['--addr', '127.0.0.1:0']);
  const { port } = new URL(serve.url);
  const context = await (await openBrowser()).newContext({ locale: 'en-US' });
  const page = await context.newPage();
  await page.goto(serve.url);
  await page.getByRole('heading', { name: 'MCP servers' }).waitFor();
  await serve.stop();
  // The banner: whatever was being asked at that moment may say it as well.
  await page.getByRole('alert').filter({ hasText: 'What you see may be out of date' }).waitFor();
  serve = await Serve.start(home, ['--addr', `127.0.0.1:${port}`]);
  await page.getByRole('alert').filter({ hasText: 'Open the address that hermes serve printed last' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Open the printed address' }).waitFor();
  await context.close();
});
