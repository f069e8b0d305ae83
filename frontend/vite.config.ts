import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import tailwind from '@tailwindcss/vite';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = fileURLToPath(new URL('./src', import.meta.url));

export default defineConfig({
  // Relative addresses: the page is served at / over loopback and from wails:// in the window.
  base: './',
  plugins: [react(), tailwind()],
  resolve: {
    alias: {
      // The generated bindings lie beside frontend/; only src/bridge imports them.
      '@wailsjs': root + 'wailsjson/wailsjs',
      '@': src,
    },
  },
  server: { host: '127.0.0.1', fs: { allow: [root] } },
  build: {
    target: 'es2022',
    sourcemap: false,
    // Everything stays a file of its own: the content security policy allows no data: fonts.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1500,
  },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/testing/setup.ts'],
    restoreMocks: true,
    testTimeout: 60_000,
  },
});
