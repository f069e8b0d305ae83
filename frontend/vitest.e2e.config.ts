import { defineConfig } from 'vitest/config';

// Browser tests against the real program. HERMES_BIN names the built `hermes`;
// e2e/README.md says what else they need.
export default defineConfig({
  test: {
    environment: 'node',
    include: ['e2e/**/*.e2e.ts'],
    testTimeout: 240_000,
    hookTimeout: 120_000,
    // One browser, one program at a time: two cores are shared with the servers under test.
    fileParallelism: false,
  },
});
