import { loadPolicy, type Policy, type PolicyServer } from '@/policy';
import type { ServerDetail } from '@/bridge';

/** Whether the page can ask the program's rules. While it cannot, nothing is shown as enabled. */
export type PolicyState = { state: 'loading' } | { state: 'ready'; policy: Policy } | { state: 'failed'; message: string };

/** Loads the module once; it never throws. */
export async function startPolicy(): Promise<PolicyState> {
  try {
    return { state: 'ready', policy: await loadPolicy('./policy.wasm') };
  } catch (err) {
    return { state: 'failed', message: err instanceof Error ? err.message : String(err) };
  }
}

/** The rules of one server to ask, or null where they cannot be read: then nothing is enabled. */
export function rulesOf(state: PolicyState, detail: ServerDetail): PolicyServer | null {
  if (state.state !== 'ready' || detail.tree === '') return null;
  const seen = detail.tools.filter((tool) => tool.seen).map((tool) => tool.name);
  try {
    return state.policy.server(detail.tree, detail.server.live.known ? seen : undefined);
  } catch {
    return null;
  }
}
