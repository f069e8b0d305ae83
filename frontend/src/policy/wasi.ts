// The ten functions the Go runtime imports from its host. The module has no
// files, arguments, environment or network; it gets a clock and random bytes,
// and what it writes (the text of a crash) goes to the given function.

export type Wasi = {
  imports: WebAssembly.Imports;
  attach(memory: WebAssembly.Memory): void;
};

/** Thrown when the Go runtime ends, which it does only after a crash. */
export class PolicyExit extends Error {
  constructor(code: number) {
    super(`the policy module ended with code ${code}`);
    this.name = 'PolicyExit';
  }
}

const ok = 0;
const randomChunk = 65536;

export function wasi(write: (text: string) => void): Wasi {
  let memory: WebAssembly.Memory | undefined;
  // A view is taken anew for every call: it detaches when the memory grows.
  const view = () => new DataView(memory!.buffer);
  const decoder = new TextDecoder();
  const none = (count: number, size: number): number => {
    view().setUint32(count, 0, true);
    view().setUint32(size, 0, true);
    return ok;
  };
  const functions = {
    sched_yield: () => ok,
    proc_exit: (code: number) => {
      throw new PolicyExit(code);
    },
    args_get: () => ok,
    args_sizes_get: none,
    environ_get: () => ok,
    environ_sizes_get: none,
    clock_time_get: (_id: number, _precision: bigint, at: number) => {
      const now = performance.timeOrigin + performance.now();
      view().setBigUint64(at, BigInt(Math.round(now * 1e6)), true);
      return ok;
    },
    fd_write: (_fd: number, vectors: number, count: number, written: number) => {
      let total = 0;
      for (let i = 0; i < count; i++) {
        const at = view().getUint32(vectors + 8 * i, true);
        const size = view().getUint32(vectors + 8 * i + 4, true);
        write(decoder.decode(new Uint8Array(memory!.buffer, at, size)));
        total += size;
      }
      view().setUint32(written, total, true);
      return ok;
    },
    random_get: (at: number, size: number) => {
      for (let done = 0; done < size; done += randomChunk) {
        const part = Math.min(randomChunk, size - done);
        crypto.getRandomValues(new Uint8Array(memory!.buffer, at + done, part));
      }
      return ok;
    },
    // The runtime waits only between calls, when nobody waits for it.
    poll_oneoff: (_in: number, _out: number, _count: number, events: number) => {
      view().setUint32(events, 0, true);
      return ok;
    },
  };
  return {
    imports: { wasi_snapshot_preview1: functions },
    attach: (m) => {
      memory = m;
    },
  };
}
