// Starts the real program on a home of its own, and a browser on its page.
import { spawn, execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

export const repository = fileURLToPath(new URL('../../', import.meta.url));

/** The program under test. */
export function program(): string {
  const path = process.env['HERMES_BIN'];
  if (!path) throw new Error('HERMES_BIN must name the built hermes, for example build/bin/hermes');
  return path;
}

/** The npm server-filesystem that the test set-up installs. */
export const filesystemServer = join(repository, 'testdata/npm/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');

/** A small server of our own; what its tools say stands in a file. */
export const peer = join(repository, 'frontend/e2e/peer.mjs');

/** Where screenshots are left for people to look at. */
export const shots = join(repository, 'build/out/screenshots');

/** A folder that holds a user's home, and in it the Hermes home. */
export class Home {
  private constructor(readonly root: string) {}

  static async make(config: string | null): Promise<Home> {
    const home = new Home(await mkdtemp(join(tmpdir(), 'hermes-page-')));
    await mkdir(join(home.root, 'files'));
    await writeFile(join(home.root, 'files', 'notes.txt'), 'A note for the tests.\n');
    if (config !== null) {
      await mkdir(join(home.root, '.hermes'), { mode: 0o700 });
      await writeFile(home.config, config.replaceAll('@ROOT@', join(home.root, 'files')).replaceAll('@SERVER@', filesystemServer));
    }
    return home;
  }

  get config(): string {
    return join(this.root, '.hermes', 'config.yaml');
  }

  read(): Promise<string> {
    return readFile(this.config, 'utf8');
  }

  /** Replaces the file in one step, as editors do. */
  async write(text: string): Promise<void> {
    await writeFile(`${this.config}.new`, text);
    await rename(`${this.config}.new`, this.config);
  }

  get env(): NodeJS.ProcessEnv {
    const env: NodeJS.ProcessEnv = { ...process.env, HOME: this.root, NO_COLOR: '1' };
    for (const key of ['HERMES_HOME', 'OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY', 'HERMES_LOG']) delete env[key];
    return env;
  }

  /** Runs one command of the program on this home and gives its output. */
  run(...args: string[]): Promise<{ code: number; out: string }> {
    return new Promise((resolve) => {
      execFile(program(), args, { env: this.env }, (error, out) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, out });
      });
    });
  }

  remove(): Promise<void> {
    return rm(this.root, { recursive: true, force: true });
  }
}

/** A running `hermes serve`. */
export class Serve {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(home: Home, args: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Serve> {
    const child = spawn(program(), ['serve', '--json', ...args], { env: { ...home.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout });
    const first = (await Promise.race([once(lines, 'line'), once(child, 'exit')]))[0] as unknown;
    if (typeof first !== 'string') throw new Error(`hermes serve ended at once (${String(first)})`);
    return new Serve(child, (JSON.parse(first) as { url: string }).url);
  }

  async stop(): Promise<number | null> {
    if (this.child.exitCode !== null) return this.child.exitCode;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGINT');
    return ((await ended) as [number | null])[0];
  }
}

let browser: Browser | null = null;

/** The one browser of a test file. */
export async function openBrowser(): Promise<Browser> {
  browser ??= await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--no-first-run'],
  });
  return browser;
}

export async function closeBrowser(): Promise<void> {
  await browser?.close();
  browser = null;
}

export interface View {
  page: Page;
  context: BrowserContext;
  /** What the page complained about; a test ends with an empty list. */
  complaints: string[];
}

export interface Look {
  dark?: boolean;
  width?: number;
  height?: number;
  locale?: string;
}

/** Opens an address of the program and waits until the servers are shown. */
export async function open(url: string, options: Look = {}, go = (page: Page): Promise<unknown> => page.goto(url)): Promise<View> {
  const context = await (await openBrowser()).newContext({
    viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
    colorScheme: options.dark ? 'dark' : 'light',
    locale: options.locale ?? 'en-US',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await go(page);
  await page.getByRole('navigation').waitFor();
  return { page, context, complaints };
}
