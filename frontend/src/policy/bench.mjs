// Prints what a question costs from JavaScript: `node frontend/src/policy/bench.mjs`.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const folder = fileURLToPath(new URL('.', import.meta.url));
const load = async (name) => (await runnerImport(folder + name, { configFile: false, logLevel: 'error' })).module;
const { buildModule, repository } = await load('build.ts');
const { isToolEnabled, loadPolicy } = await load('index.ts');

const code = buildModule();
const started = performance.now();
const policy = await loadPolicy(code);
console.log(`load and start            ${(performance.now() - started).toFixed(1)} ms, ${code.length} bytes`);

const rows = JSON.parse(readFileSync(repository + 'testdata/policy/filter.json', 'utf8'));
const row = (name) => rows.find((r) => r.name === name);

function measure(name, times, ask) {
  for (let i = 0; i < times / 10; i++) ask(i);
  const rounds = [];
  for (let round = 0; round < 5; round++) {
    const from = performance.now();
    for (let i = 0; i < times; i++) ask(i);
    rounds.push(((performance.now() - from) * 1e6) / times);
  }
  rounds.sort((a, b) => a - b);
  console.log(`${name.padEnd(26)}${rounds[2].toFixed(0)} ns (best ${rounds[0].toFixed(0)}, worst ${rounds[4].toFixed(0)})`);
}

const named = row('many names');
const server = policy.server(named.tree, named.live);
measure('isToolEnabled, plain name', 1e6, () => isToolEnabled(server, 'h'));
measure('isToolEnabled, by pattern', 1e6, () => isToolEnabled(server, 'ik'));
measure('isToolEnabled, not named', 1e5, () => isToolEnabled(server, 'added_tomorrow'));
measure('verdict with its reason', 1e5, () => server.verdict('j'));
measure('words of the panel', 1e5, () => server.panel());
measure('preview of an edit', 1e4, () => server.preview({ action: 'on', tool: 'j' }));
measure('tree to handle and back', 1e4, () => policy.server(named.tree, named.live).free());
