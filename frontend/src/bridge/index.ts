export * from './transport';
export * from './types';
export { CallError, toCallError, type ErrorCode } from './errors';

/** Tells whether the page runs in the window, where Wails put its bindings. */
export function inWindow(): boolean {
  const w = window as { go?: { main?: { App?: unknown } }; runtime?: unknown };
  return w.go?.main?.App !== undefined && w.runtime !== undefined;
}
