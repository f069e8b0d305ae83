// Servers for tests, made from the data that the policy's own tests run on
// (testdata/policy), so that the page meets the very trees the program hands over.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Arrival, Audit, Connection, Overview, Problem, Server, ServerDetail, ServerList, Tool } from '@/bridge';
import { FakeTransport, type Answers } from '@/bridge/fake';
import { loadPolicy, type Policy } from '@/policy';

export const repository = `${resolve(import.meta.dirname, '../../..')}/`;

interface Row {
  name: string;
  state: string;
  patterns: string[];
  locked: boolean;
  live: string[];
  verdicts: Record<string, boolean>;
  panel: string;
  tree: string;
  held?: boolean;
  list?: string;
  problems: { severity: string; code: string; message: string; hint: string; line: number; column: number }[];
}

const rows = ['filter', 'held'].flatMap((file) => JSON.parse(readFileSync(`${repository}testdata/policy/${file}.json`, 'utf8')) as Row[]);

let policy: Promise<Policy> | null = null;

/** The real policy module, as `make page` builds it. */
export function realPolicy(): Promise<Policy> {
  policy ??= loadPolicy(new Uint8Array(readFileSync(`${repository}frontend/public/policy.wasm`)));
  return policy;
}

/** A server as the program would send it for a row of the policy's data. */
export function detailOf(rowName: string, name: string, revision: string): ServerDetail {
  const row = rows.find((one) => one.name === rowName);
  if (!row) throw new Error(`testdata/policy has no row "${rowName}"`);
  const tools = row.live.map((tool) => toolOf(name, tool, row.verdicts[tool] ?? false));
  return { server: serverOf(row, name), revision, tree: row.tree, version: '1.0.0', protocol: '2025-06-18', tools, log: [] };
}

function serverOf(row: Row, name: string): Server {
  const words = { code: 'list.test', params: [], text: row.panel };
  const held = row.held ?? false;
  return {
    name,
    transport: 'stdio',
    target: 'node server.js',
    enabled: true,
    status: row.locked ? 'locked' : row.state === 'invalid' ? 'invalid' : 'connected',
    reason: '',
    line: 2,
    tools: {
      state: row.state,
      held,
      ...(held && {
        file: { state: 'open', words: 'all' },
        hold: { since: '2026-01-02', was: row.list ?? '', keys: ['trust'], texts: ['trust: untrusted'], present: [], waits: false, ways: row.state === 'invalid' ? ['open', 'lock'] : ['open', 'lock', 'restore'] },
      }),
      locked: row.locked,
      words: row.panel,
      list: words,
      row: words,
      panel: words,
      patterns: row.patterns,
      resources: false,
      prompts: false,
      problems: row.problems.map((p) => ({ ...p, params: [], file: '/home/config.yaml' })),
    },
    live: { known: true, allowed: Object.values(row.verdicts).filter(Boolean).length, total: row.live.length, unmatched: [], new: [], new_off: 0, changed: 0, quarantined: 0, blocked: 0 },
    connection: connectionOf({}),
    problems: [],
  };
}

/** What is known of a session: nothing, but for what a test says. */
export function connectionOf(change: Partial<Connection>): Connection {
  return {
    since: '',
    attempts: 0,
    next_try: '',
    latency_ms: 0,
    version: '',
    protocol: '',
    pid: 0,
    memory_bytes: 0,
    cpu_percent: 0,
    noise: 0,
    lazy: false,
    process: 0,
    ...change,
  };
}

function toolOf(server: string, name: string, allowed: boolean): Tool {
  return {
    server,
    name,
    public: `mcp__${server}__${name}`,
    title: '',
    description: `Does ${name}.`,
    allowed,
    reason: { code: '', params: [], text: allowed ? `${name} is listed` : `${name} is not listed` },
    line: 4,
    seen: true,
    held_by: '',
    read_only: 'unknown',
    destructive: 'unknown',
    new: false,
    changed: false,
    quarantine: '',
  };
}

export function overviewOf(change: Partial<Overview> = {}): Overview {
  return {
    version: '0.1.0',
    home: '/home/.hermes',
    demo: false,
    user_home: '',
    user_home_exists: false,
    started: true,
    programs: [],
    model: 'test-model',
    offline_model: false,
    model_problem: '',
    scope: '',
    notices: [],
    ...change,
  };
}

export function arrivalOf(change: Partial<Arrival> = {}): Arrival {
  return {
    config: { path: '/home/config.yaml', revision: 'r7', problems: [] },
    quiet: true,
    servers: [],
    honoured: [],
    evidence: [],
    foreign_keys: 0,
    foreign_sections: [],
    programs: [],
    obsolete: [],
    unchecked: [],
    ...change,
  };
}

export function auditOf(change: Partial<Audit> = {}): Audit {
  return { config: { path: '/home/config.yaml', revision: 'r7', problems: [] }, ok: true, strict: false, servers: [], findings: [], notes: [], unchecked: [], ...change };
}

/** A program with a state that tests change: what it says now is what it answers. */
export class Program {
  readonly transport: FakeTransport;
  overview = overviewOf();
  details: ServerDetail[];
  /** What is wrong with the file. */
  problems: Problem[] = [];

  constructor(...details: ServerDetail[]) {
    this.details = details;
    this.transport = new FakeTransport(this.answers());
  }

  get revision(): string {
    return this.details[0]?.revision ?? '';
  }

  list(): ServerList {
    return { config: { path: '/home/config.yaml', revision: this.revision, problems: this.problems }, servers: this.details.map((detail) => detail.server) };
  }

  private answers(): Answers {
    return {
      Overview: () => this.overview,
      Servers: () => this.list(),
      Server: (name) => {
        const found = this.details.find((detail) => detail.server.name === name);
        if (!found) throw new Error(`no server ${name}`);
        return found;
      },
      Sessions: () => [],
      Questions: () => ({ questions: [] }),
      Grants: () => ({ grants: [] }),
      SearchPast: () => [],
      Arrival: () => arrivalOf(),
      Findings: () => auditOf(),
      Report: () => undefined,
      Measure: () => connectionOf({}),
      Glance: () => undefined,
      Changes: () => ({ servers: [] }),
    };
  }
}

/** A promise that a test settles by hand. */
export function hold<T>(): { promise: Promise<T>; settle: (value: T) => void; fail: (err: unknown) => void } {
  let settle!: (value: T) => void;
  let fail!: (err: unknown) => void;
  const promise = new Promise<T>((resolve, reject) => {
    settle = resolve;
    fail = reject;
  });
  return { promise, settle, fail };
}
