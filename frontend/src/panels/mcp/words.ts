import type { Problem, Server } from '@/bridge';
import { useWords } from '@/words';
import { distinct } from './Problems';

/** All problems of a server, each once. */
export function problemsOf(server: Server): Problem[] {
  return distinct([...server.tools.problems, ...server.problems]);
}

/** The panel's sentence about a server. An invalid one is said by its problem, which has a translation. */
export function usePanelWords() {
  const { say, problem } = useWords();
  return (server: Server): string => {
    const first = server.tools.state === 'invalid' ? problemsOf(server).find((p) => p.severity === 'error') : undefined;
    return first ? problem(first).message : say(server.tools.panel);
  };
}
