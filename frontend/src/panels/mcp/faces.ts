import type { Server, ServerDetail, Tool } from '@/bridge';
import { isToolEnabled, type PolicyServer } from '@/policy';

/**
 * What a switch shows: allowed, denied because a list leaves it out, denied
 * because the list is empty, held off against the file, denied for another
 * reason, or not seen on the server. 'unknown' is also all there is while the rules cannot be asked.
 */
export type Face = 'allowed' | 'listed' | 'empty' | 'held' | 'denied' | 'unseen' | 'unknown';

/** Decides the face of a tool. Whether it is allowed is the policy's own answer, never the page's. */
export function faceOf(rules: PolicyServer | null, detail: ServerDetail, tool: Tool): Face {
  if (!rules) return 'unknown';
  if (!tool.seen) return 'unseen';
  if (isToolEnabled(rules, tool.name)) return 'allowed';
  if (['why.held', 'why.held_other', 'why.waits'].includes(tool.reason.code)) return 'held';
  switch (detail.server.tools.state) {
    case 'only':
      return detail.server.tools.patterns.length === 0 ? 'empty' : 'listed';
    case 'except':
      return 'listed';
    default:
      return 'denied';
  }
}

/**
 * What keeps a tool from being called beside the rules: its definition changed,
 * no model can be offered it, or its server does not run. '' is nothing.
 */
export type Bar = '' | 'changed' | 'quarantined' | 'down';

export function barOf(server: Server, tool: Tool): Bar {
  if (tool.quarantine !== '') return 'quarantined';
  if (tool.changed) return 'changed';
  return isDown(server) ? 'down' : '';
}

/** Whether no tool of a server can be called as it is now. One that starts at its first call can. */
export function isDown(server: Server): boolean {
  return ['failed', 'parked', 'needs_auth', 'disabled', 'starting'].includes(server.status) || (server.status === 'ready' && !server.connection.lazy);
}

/** The servers whose tools may be looked at by an explicit click. */
export function mayLook(server: Server): boolean {
  return ['locked', 'ready', 'failed', 'held'].includes(server.status) || !server.live.known;
}

/** Where in the file something stands, as an editor understands it. */
export function placeOf(file: string, line: number, column = 0): string {
  if (line === 0) return file;
  return column === 0 ? `${file}:${line}` : `${file}:${line}:${column}`;
}

/** The last part of a path, for places that are read together with the whole one. */
export function shortPath(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path;
}

/** Tools whose name, title or description holds every word of the search. */
export function matching<T extends Pick<Tool, 'name' | 'title' | 'description'>>(tools: readonly T[], search: string): T[] {
  const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
  return tools.filter((tool) => {
    const text = `${tool.name}\n${tool.title}\n${tool.description}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}
