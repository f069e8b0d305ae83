import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** Builds the module from the Go code as it is now and returns its bytes; for tests and measurements. */
export function buildModule(): Uint8Array<ArrayBuffer> {
  const folder = mkdtempSync(join(tmpdir(), 'policy-wasm-'));
  try {
    const file = join(folder, 'policy.wasm');
    execFileSync(
      'go',
      ['build', '-trimpath', '-buildmode=c-shared', '-ldflags', '-s -w', '-o', file, './backend/policy/wasm'],
      { cwd: repository, env: { ...process.env, GOOS: 'wasip1', GOARCH: 'wasm' }, stdio: ['ignore', 'inherit', 'inherit'] },
    );
    return new Uint8Array(readFileSync(file));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
