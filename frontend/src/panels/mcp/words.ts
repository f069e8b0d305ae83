import type { Problem, Server } from '@/bridge';
import { useWords } from '@/words';
import { distinct } from './Problems';

// config.CodeHeld and its kin: told by the banner with the ways out.
const held = ['server.held', 'server.held_rewritten', 'server.held_partly'];

/** All problems of a server, each once. */
export function problemsOf(server: Server): Problem[] {
  return distinct([...server.tools.problems, ...server.problems]).filter((p) => !held.includes(p.code));
}

/**
 * The panel's sentence about a server. An invalid one is said by its problem, which has a translation.
 * The policy counts what the rules have on; what of it is blocked, because its definition changed or
 * cannot be offered, is said beside it.
 */
export function usePanelWords() {
  const { t, say, problem } = useWords();
  return (server: Server): string => {
    const first = server.tools.state === 'invalid' ? problemsOf(server).find((p) => p.severity === 'error') : undefined;
    const words = first ? problem(first).message : say(server.tools.panel);
    const { blocked } = server.live;
    return blocked > 0 ? `${words} · ${t('tools.blocked', { count: blocked })}` : words;
  };
}
