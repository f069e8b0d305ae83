import { start, type Exports, type PolicySource } from './module';
import { Reader } from './record';
import type { Count, Intent, Preview, Special, Summary, Template, Verdict, Words } from './types';

/** A question the module could not answer. Whoever catches it shows nothing as enabled. */
export class PolicyError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PolicyError';
  }
}

const specials: readonly Special[] = [
  'list_resources',
  'read_resource',
  'list_prompts',
  'get_prompt',
  'sampling',
  'elicitation',
];
const actions: readonly Intent['action'][] = ['on', 'off', 'lock', 'open', 'only', 'restore'];
const encoder = new TextEncoder();

/**
 * Loads the policy core, which is the program's own Go code. It rejects when
 * that fails; then isToolEnabled has no server to ask and denies.
 */
export async function loadPolicy(source: PolicySource = 'policy.wasm'): Promise<Policy> {
  return new Policy(await start(source));
}

/** The loaded policy core. */
export class Policy {
  #exports: Exports;
  #crash: unknown;
  #lost: FinalizationRegistry<number>;

  constructor(exports: Exports) {
    this.#exports = exports;
    this.#lost = new FinalizationRegistry((handle) => this.#quietly(() => exports.drop(handle)));
  }

  /**
   * Parses the tree that the host hands over for one server (bytes, or base64
   * as it comes in JSON), and names the tools to ask about, if they are known.
   * It throws for what is no tree.
   */
  server(tree: Uint8Array | string, tools?: readonly string[]): PolicyServer {
    const bytes = typeof tree === 'string' ? fromBase64(tree) : tree;
    const size = this.put(bytes);
    const handle = this.call((x) => x.read(size));
    if (handle === 0) {
      throw new PolicyError('the rules of this server could not be read');
    }
    const server = new PolicyServer(this, handle);
    this.#lost.register(server, handle, server);
    if (tools) {
      server.setTools(tools);
    }
    return server;
  }

  /** Every text the core can produce, for checking the page's translations. */
  codes(): Template[] {
    return this.record((x) => x.codes()).codes();
  }

  /** Calls the module; after a crash it stays silent for good. */
  call<T>(ask: (exports: Exports) => T): T {
    if (this.#crash !== undefined) {
      throw new PolicyError('the policy module has crashed', { cause: this.#crash });
    }
    try {
      return ask(this.#exports);
    } catch (error) {
      this.#crash = error;
      throw new PolicyError('the policy module has crashed', { cause: error });
    }
  }

  /** Writes bytes where the module reads its input and returns their number. */
  put(bytes: Uint8Array): number {
    const at = this.call((x) => x.input(bytes.length));
    if (at === 0) {
      throw new PolicyError('too much was handed to the policy module');
    }
    new Uint8Array(this.#exports.memory.buffer, at, bytes.length).set(bytes);
    return bytes.length;
  }

  /** Calls for a record and copies it out of the module's memory. */
  record(ask: (exports: Exports) => number): Reader {
    const size = this.call(ask);
    if (size === 0) {
      throw new PolicyError('the policy module does not know this server');
    }
    const at = this.call((x) => x.output());
    return new Reader(new Uint8Array(this.#exports.memory.buffer, at, size).slice());
  }

  /** Gives a handle back. */
  release(server: PolicyServer, handle: number): void {
    this.#lost.unregister(server);
    this.#quietly(() => this.#exports.drop(handle));
  }

  #quietly(ask: () => void): void {
    if (this.#crash === undefined) {
      try {
        ask();
      } catch (error) {
        this.#crash = error;
      }
    }
  }
}

/** One server's rules. After free, and after a crash, everything is denied. */
export class PolicyServer {
  #policy: Policy;
  #handle: number;
  #index = new Map<string, number>();

  constructor(policy: Policy, handle: number) {
    this.#policy = policy;
    this.#handle = handle;
  }

  /** Names the tools the server offers, so that they are asked by index. */
  setTools(names: readonly string[]): void {
    const size = this.#policy.put(namesOf(names));
    if (this.#policy.call((x) => x.tools(this.#handle, size)) !== 1) {
      throw new PolicyError('the names of the tools could not be handed over');
    }
    this.#index = new Map(names.map((name, i) => [name, i]));
  }

  /** Whether the tool may be called now; false also when nothing can be asked. */
  allows(name: string): boolean {
    const index = this.#index.get(name);
    try {
      if (index !== undefined) {
        return this.#policy.call((x) => x.allowed(this.#handle, index)) === 1;
      }
      const size = this.#policy.put(encoder.encode(name));
      return this.#policy.call((x) => x.allows(this.#handle, size)) === 1;
    } catch {
      return false;
    }
  }

  /** Whether a helper, sampling or elicitation may be used now; false also when nothing can be asked. */
  allowsSpecial(which: Special): boolean {
    try {
      return this.#policy.call((x) => x.special(this.#handle, specials.indexOf(which))) === 1;
    } catch {
      return false;
    }
  }

  verdict(name: string): Verdict {
    const index = this.#index.get(name);
    if (index !== undefined) {
      return this.#policy.record((x) => x.verdict(this.#handle, index)).verdict();
    }
    const size = this.#policy.put(encoder.encode(name));
    return this.#policy.record((x) => x.verdict_of(this.#handle, size)).verdict();
  }

  verdictSpecial(which: Special): Verdict {
    return this.#policy.record((x) => x.special_verdict(this.#handle, specials.indexOf(which))).verdict();
  }

  summary(): Summary {
    return this.#policy.record((x) => x.summary(this.#handle)).summary();
  }

  /** The words of `hermes mcp list`. */
  list(): Words {
    return this.#words(0);
  }

  /** The words of the row in `hermes tools`. */
  row(): Words {
    return this.#words(1);
  }

  /** The words of the panel, with counts once the tools are named. */
  panel(): Words {
    return this.#words(2);
  }

  count(): Count {
    const r = this.#policy.record((x) => x.count(this.#handle));
    return { allowed: r.number(), total: r.number(), unmatched: r.texts() };
  }

  /** What an edit would do. The named tools are the known ones. */
  preview(intent: Intent): Preview {
    const expand = 'expand' in intent && intent.expand ? 1 : 0;
    const about = 'tools' in intent ? namesOf(intent.tools) : encoder.encode('tool' in intent ? intent.tool : '');
    const size = this.#policy.put(about);
    const action = actions.indexOf(intent.action);
    return this.#policy.record((x) => x.preview(this.#handle, action, expand, size)).preview();
  }

  /** Gives the module's memory back. */
  free(): void {
    if (this.#handle !== 0) {
      this.#policy.release(this, this.#handle);
      this.#handle = 0;
    }
  }

  #words(surface: number): Words {
    return this.#policy.record((x) => x.words(this.#handle, surface)).words();
  }
}

/**
 * Whether a server's tool may be called now. Without a server, because the
 * module or the tree could not be loaded, nothing is enabled.
 */
export function isToolEnabled(server: PolicyServer | null | undefined, name: string): boolean {
  return server?.allows(name) ?? false;
}

// Each name as a length in four bytes, the lowest first, and its text.
function namesOf(names: readonly string[]): Uint8Array {
  const texts = names.map((name) => encoder.encode(name));
  const bytes = new Uint8Array(texts.reduce((sum, text) => sum + 4 + text.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const text of texts) {
    view.setUint32(at, text.length, true);
    bytes.set(text, at + 4);
    at += 4 + text.length;
  }
  return bytes;
}

function fromBase64(text: string): Uint8Array {
  let binary: string;
  try {
    binary = atob(text);
  } catch (error) {
    throw new PolicyError('the rules of this server could not be read', { cause: error });
  }
  return Uint8Array.from(binary, (c) => c.charCodeAt(0));
}
