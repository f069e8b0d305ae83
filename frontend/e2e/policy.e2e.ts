// The policy's own data in the real page: the module that the program serves,
// under the page's own security policy, decides as the Go code does.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeBrowser, Home, open, repository, Serve } from './harness';

interface Row {
  name: string;
  unreadable: boolean;
  state: string;
  list: string;
  row: string;
  panel: string;
  live: string[];
  verdicts: Record<string, boolean>;
  tree: string;
}

const rows = (JSON.parse(readFileSync(join(repository, 'testdata/policy/filter.json'), 'utf8')) as Row[]).filter((row) => !row.unreadable);

let home: Home;
let serve: Serve;
let code: string;

beforeAll(async () => {
  home = await Home.make(null);
  serve = await Serve.start(home);
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2022',
      lib: { entry: join(repository, 'frontend/src/policy/index.ts'), formats: ['iife'], name: 'hermesPolicy' },
    },
  });
  const [output] = Array.isArray(built) ? built : [built];
  if (!output || !('output' in output)) throw new Error('the policy folder was not built');
  code = output.output[0].code.replace(/^\s*var hermesPolicy\s*=/, 'globalThis.hermesPolicy =').replace(/^"use strict";/, '');
});

afterAll(async () => {
  await serve.stop();
  await closeBrowser();
  await home.remove();
});

test('every row of the data, in the page', async () => {
  const { page } = await open(serve.url);
  await page.evaluate(code);
  const got = await page.evaluate(async (all) => {
    type Module = {
      loadPolicy: (source: string) => Promise<{ server: (tree: string, tools: string[]) => Server }>;
      isToolEnabled: (server: Server, name: string) => boolean;
    };
    type Text = { text: string };
    type Server = { summary: () => { state: string }; list: () => Text; row: () => Text; panel: () => Text };
    const { loadPolicy, isToolEnabled } = (globalThis as unknown as { hermesPolicy: Module }).hermesPolicy;
    const policy = await loadPolicy('./policy.wasm');
    return all.map((row) => {
      const server = policy.server(row.tree, row.live);
      return {
        name: row.name,
        state: server.summary().state,
        list: server.list().text,
        row: server.row().text,
        panel: server.panel().text,
        verdicts: Object.fromEntries(Object.keys(row.verdicts).map((name) => [name, isToolEnabled(server, name)])),
      };
    });
  }, rows);
  expect(got).toEqual(rows.map(({ name, state, list, row, panel, verdicts }) => ({ name, state, list, row, panel, verdicts })));
  expect(got.length).toBeGreaterThan(50);
});
