// @vitest-environment node
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildModule, repository } from './build';
import { isToolEnabled, loadPolicy, type Policy, PolicyError } from './index';

// The very file that the Go package, its module in wazero, the command line and
// the browser test run.
type Row = {
  name: string;
  unreadable: boolean;
  state: string;
  patterns: string[];
  list: string;
  row: string;
  live: string[];
  panel: string;
  panel_unknown?: string;
  locked: boolean;
  broken: boolean;
  untrusted: boolean;
  verdicts: Record<string, boolean>;
  unmatched: string[];
  resources: boolean;
  prompts: boolean;
  sampling: boolean;
  elicitation: boolean;
  problems: { severity: string; code: string; line: number; column: number }[];
  tree: string;
  held?: boolean;
  since?: string;
};

type EditRow = {
  name: string;
  action: 'on' | 'off' | 'lock' | 'open';
  tool: string;
  expand: boolean;
  known: string[];
  refused: string;
  line: number;
  column: number;
  unchanged: boolean;
  row: string;
  changes: Record<string, boolean>;
  tree: string;
};

function shared<T>(name: string): T {
  return JSON.parse(readFileSync(`${repository}testdata/policy/${name}`, 'utf8')) as T;
}

const rows = [
  ...shared<Row[]>('filter.json').filter((row) => !row.unreadable),
  ...shared<Row[]>('held.json').map((row) => ({ ...row, name: `held: ${row.name}` })),
];
const edits = shared<EditRow[]>('edits.json');

let code: Uint8Array<ArrayBuffer>;
let policy: Policy;

beforeAll(async () => {
  code = buildModule();
  policy = await loadPolicy(code);
}, 300_000);

describe('the filter as data', () => {
  it('has rows', () => {
    expect(rows.length).toBeGreaterThan(120);
  });

  it.each(rows.map((row) => [row.name, row] as const))('%s', (_, row) => {
    const server = policy.server(row.tree);
    if (row.panel_unknown) {
      expect(server.panel().text).toBe(row.panel_unknown);
    }
    for (const [name, allowed] of Object.entries(row.verdicts)) {
      expect(isToolEnabled(server, name), `${name} by name`).toBe(allowed);
    }
    server.setTools(row.live);
    for (const [name, allowed] of Object.entries(row.verdicts)) {
      expect(isToolEnabled(server, name), name).toBe(allowed);
      const verdict = server.verdict(name);
      expect(verdict.allowed, name).toBe(allowed);
      expect(verdict.reason.text).not.toBe('');
    }
    expect(server.list().text).toBe(row.list);
    expect(server.row().text).toBe(row.row);
    expect(server.panel().text).toBe(row.panel);
    const { problems, ...summary } = server.summary();
    expect(summary).toMatchObject({
      state: row.state,
      patterns: row.patterns,
      locked: row.locked,
      broken: row.broken,
      untrusted: row.untrusted,
      resources: row.resources,
      prompts: row.prompts,
      held: row.held ?? false,
      since: row.held ? row.since : '',
    });
    expect(problems.map(({ severity, code, line, column }) => ({ severity, code, line, column }))).toEqual(row.problems);
    const on = row.live.filter((name) => row.verdicts[name]).length;
    expect(server.count()).toEqual({ allowed: on, total: row.live.length, unmatched: row.unmatched });
    expect(server.allowsSpecial('list_resources')).toBe(row.resources);
    expect(server.allowsSpecial('read_resource')).toBe(row.resources);
    expect(server.allowsSpecial('list_prompts')).toBe(row.prompts);
    expect(server.allowsSpecial('get_prompt')).toBe(row.prompts);
    expect(server.allowsSpecial('sampling')).toBe(row.sampling);
    expect(server.allowsSpecial('elicitation')).toBe(row.elicitation);
    expect(server.verdictSpecial('sampling').allowed).toBe(row.sampling);
    server.free();
  });
});

describe('the edits as data', () => {
  it.each(edits.map((row) => [row.name, row] as const))('%s', (_, row) => {
    const server = policy.server(row.tree, row.known);
    const before = server.row().text;
    const preview = server.preview({ action: row.action, tool: row.tool, expand: row.expand });
    expect(server.row().text, 'asking changes nothing').toBe(before);
    if (preview.outcome === 'refused') {
      expect(preview.reason.code).toBe(row.refused);
      expect([preview.line, preview.column]).toEqual([row.line, row.column]);
      expect(preview.hint).not.toBe('');
    } else {
      expect('').toBe(row.refused);
      expect(preview.outcome).toBe(row.unchanged ? 'unchanged' : 'changed');
      expect(preview.row.text).toBe(row.row);
      expect(Object.fromEntries(preview.changes.map((c) => [c.name, c.allowed]))).toEqual(row.changes);
    }
    server.free();
  });
});

describe('loading', () => {
  it('streams from an answer of the right type', async () => {
    const answer = new Response(code, { headers: { 'content-type': 'application/wasm' } });
    const loaded = await loadPolicy(Promise.resolve(answer));
    expect(loaded.codes().length).toBeGreaterThan(50);
  });

  it('takes the bytes of an answer of another type', async () => {
    const loaded = await loadPolicy(new Response(code, { headers: { 'content-type': 'text/plain' } }));
    expect(loaded.codes().length).toBeGreaterThan(50);
  });

  it('rejects an answer that is an error', async () => {
    await expect(loadPolicy(new Response('gone', { status: 404, statusText: 'Not Found' }))).rejects.toThrow(
      'could not be loaded: 404 Not Found',
    );
  });

  it('rejects bytes that are no module', async () => {
    await expect(loadPolicy(new TextEncoder().encode('no module'))).rejects.toThrow();
  });

  it('shows nothing as enabled without a server', () => {
    expect(isToolEnabled(undefined, 'read_file')).toBe(false);
    expect(isToolEnabled(null, 'read_file')).toBe(false);
  });
});

describe('what cannot be read', () => {
  const open = () => rows.find((row) => row.name === 'empty entry')!;

  it('throws for a tree that is none', () => {
    expect(() => policy.server(new Uint8Array([1, 2, 3]))).toThrow(PolicyError);
    expect(() => policy.server('!')).toThrow(PolicyError);
    const cut = Buffer.from(open().tree, 'base64').subarray(0, 20);
    expect(() => policy.server(cut)).toThrow(PolicyError);
  });

  it('denies after free and does not answer for a handle that is gone', () => {
    const server = policy.server(open().tree, ['read_file']);
    expect(isToolEnabled(server, 'read_file')).toBe(true);
    server.free();
    server.free();
    expect(isToolEnabled(server, 'read_file')).toBe(false);
    expect(isToolEnabled(server, 'other')).toBe(false);
    expect(server.allowsSpecial('sampling')).toBe(false);
    expect(() => server.summary()).toThrow(PolicyError);
    expect(() => server.verdict('read_file')).toThrow(PolicyError);
    expect(() => server.setTools(['a'])).toThrow(PolicyError);
  });

  it('denies for good once the module has crashed', async () => {
    const other = await loadPolicy(code);
    const server = other.server(open().tree, ['read_file']);
    expect(isToolEnabled(server, 'read_file')).toBe(true);
    expect(() =>
      other.call(() => {
        throw new WebAssembly.RuntimeError('unreachable');
      }),
    ).toThrow(PolicyError);
    expect(isToolEnabled(server, 'read_file')).toBe(false);
    expect(isToolEnabled(server, 'unnamed')).toBe(false);
    expect(() => server.list()).toThrow('crashed');
  });

  it('gives handles back, so that a long session does not run out of them', () => {
    for (let i = 0; i < 5_000; i++) {
      policy.server(open().tree).free();
    }
    expect(isToolEnabled(policy.server(open().tree), 'read_file')).toBe(true);
  }, 60_000);

  it('goes on while the memory of the module grows', () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `tool_with_a_long_name_${i}`.repeat(5));
    const server = policy.server(open().tree, names);
    expect(server.count()).toEqual({ allowed: 20_000, total: 20_000, unmatched: [] });
    expect(names.every((name) => isToolEnabled(server, name))).toBe(true);
    server.free();
  }, 60_000);
});

describe('words', () => {
  it('carry a code of the catalogue', () => {
    const codes = new Set(policy.codes().map((template) => template.code));
    for (const row of rows) {
      const server = policy.server(row.tree, row.live);
      for (const words of [server.list(), server.row(), server.panel(), server.verdict('read_file').reason]) {
        expect(codes.has(words.code), words.code).toBe(true);
      }
      for (const problem of server.summary().problems) {
        expect(codes.has(problem.code), problem.code).toBe(true);
        expect(codes.has(`${problem.code}.hint`), problem.code).toBe(true);
      }
      server.free();
    }
  });
});
