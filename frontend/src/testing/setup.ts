import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

// A bound, not a wait: on a busy machine a page takes longer to be drawn.
configure({ asyncUtilTimeout: 15_000 });

afterEach(() => {
  cleanup();
  // Tests of the policy run in Node, where there is no window.
  if (typeof window === 'undefined') return;
  window.localStorage.clear();
  window.sessionStorage.clear();
});
