import { wasi } from './wasi';

/** The module's exports; backend/policy/wasm/exports_wasip1.go is their other side. */
export type Exports = {
  memory: WebAssembly.Memory;
  _initialize(): void;
  input(size: number): number;
  output(): number;
  read(size: number): number;
  drop(handle: number): void;
  tools(handle: number, size: number): number;
  allowed(handle: number, index: number): number;
  allows(handle: number, size: number): number;
  special(handle: number, which: number): number;
  summary(handle: number): number;
  verdict(handle: number, index: number): number;
  verdict_of(handle: number, size: number): number;
  special_verdict(handle: number, which: number): number;
  words(handle: number, surface: number): number;
  count(handle: number): number;
  preview(handle: number, action: number, expand: number, size: number): number;
  codes(): number;
};

/** Where the module comes from: its address, an answer to a request, its bytes, or compiled already. */
export type PolicySource = string | URL | Response | Promise<Response> | BufferSource | WebAssembly.Module;

/** Loads and starts the module. It throws when that fails: then nothing may be shown as enabled. */
export async function start(source: PolicySource): Promise<Exports> {
  const said: string[] = [];
  const host = wasi((text) => said.push(text));
  const instance = await instantiate(await resolve(source), host.imports);
  const exports = instance.exports as unknown as Exports;
  host.attach(exports.memory);
  try {
    exports._initialize();
  } catch (error) {
    throw new Error(`the policy module did not start: ${said.join('') || String(error)}`, { cause: error });
  }
  return exports;
}

async function resolve(source: PolicySource): Promise<Response | BufferSource | WebAssembly.Module> {
  const got = typeof source === 'string' || source instanceof URL ? fetch(source) : source;
  const value = await got;
  if (isResponse(value) && !value.ok) {
    throw new Error(`the policy module could not be loaded: ${value.status} ${value.statusText}`.trimEnd());
  }
  return value;
}

function isResponse(value: unknown): value is Response {
  return typeof value === 'object' && value !== null && 'arrayBuffer' in value && 'headers' in value;
}

async function instantiate(
  code: Response | BufferSource | WebAssembly.Module,
  imports: WebAssembly.Imports,
): Promise<WebAssembly.Instance> {
  if (code instanceof WebAssembly.Module) {
    return WebAssembly.instantiate(code, imports);
  }
  if (!isResponse(code)) {
    return (await WebAssembly.instantiate(code, imports)).instance;
  }
  // A page whose address is not http (the window) may not stream, and a server
  // may not know the type: the bytes are the same either way.
  const spare = code.clone();
  if (typeof WebAssembly.instantiateStreaming === 'function') {
    try {
      return (await WebAssembly.instantiateStreaming(code, imports)).instance;
    } catch (error) {
      if (error instanceof WebAssembly.LinkError) {
        throw error;
      }
    }
  }
  return (await WebAssembly.instantiate(await spare.arrayBuffer(), imports)).instance;
}
