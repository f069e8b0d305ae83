import type { Grants, Hook, HookChange, HookLook, HooksList, Questions, Answer, Arrival, Audit, AuditItem, Catalog, CatalogRow, Changes, Installed, InstallPlan, Live, Method, Problem, Reloaded, Rules, Server, ServerDetail, ServerList, Overview, Tool, Transcript, SessionRow, Why, Words } from './types';

// Go writes a slice that was never filled as null. Here, once, every list
// becomes a list, so that nothing behind the bridge meets a third state.

const list = <T>(value: T[] | null | undefined): T[] => value ?? [];
const words = (w: Words | null | undefined): Words => ({ code: w?.code ?? '', params: list(w?.params), text: w?.text ?? '' });
const problems = (all: Problem[] | null | undefined): Problem[] => list(all).map((p) => ({ ...p, params: list(p.params) }));

function rules(r: Rules): Rules {
  const hold = r.hold && { ...r.hold, keys: list(r.hold.keys), texts: list(r.hold.texts), present: list(r.hold.present), ways: list(r.hold.ways) };
  return { ...r, ...(hold && { hold }), list: words(r.list), row: words(r.row), panel: words(r.panel), patterns: list(r.patterns), problems: problems(r.problems) };
}

const live = (l: Live): Live => ({ ...l, unmatched: list(l.unmatched), new: list(l.new) });

function server(s: Server): Server {
  return { ...s, tools: rules(s.tools), live: live(s.live), problems: problems(s.problems) };
}

function tool(t: Tool): Tool {
  return { ...t, reason: words(t.reason) };
}

function detail(d: ServerDetail): ServerDetail {
  return { ...d, server: server(d.server), tree: d.tree ?? '', tools: list(d.tools).map(tool), log: list(d.log) };
}

function overview(o: Overview): Overview {
  return { ...o, programs: list(o.programs).map((p) => ({ ...p, env_keys: list(p.env_keys) })), notices: problems(o.notices) };
}

function servers(l: ServerList): ServerList {
  return { config: { ...l.config, problems: problems(l.config.problems) }, servers: list(l.servers).map(server) };
}

const items = (all: AuditItem[] | null | undefined): AuditItem[] => list(all).map((one) => ({ ...one, params: list(one.params) }));

function arrival(a: Arrival): Arrival {
  return {
    ...a,
    config: { ...a.config, problems: problems(a.config.problems) },
    servers: list(a.servers).map((one) => ({ ...one, before: words(one.before), now: words(one.now), fix: words(one.fix) })),
    honoured: problems(a.honoured),
    evidence: items(a.evidence),
    foreign_sections: list(a.foreign_sections),
    programs: list(a.programs),
    obsolete: list(a.obsolete),
    unchecked: list(a.unchecked),
  };
}

function audit(a: Audit): Audit {
  return {
    ...a,
    config: { ...a.config, problems: problems(a.config.problems) },
    servers: list(a.servers).map((one) => ({ ...one, words: words(one.words) })),
    findings: items(a.findings),
    notes: items(a.notes),
    unchecked: list(a.unchecked),
  };
}

const catalogRow = (r: CatalogRow): CatalogRow => ({ ...r, commands: list(r.commands), variables: list(r.variables), packages: list(r.packages) });

function catalog(c: Catalog): Catalog {
  return { config: { ...c.config, problems: problems(c.config.problems) }, rows: list(c.rows).map(catalogRow), problems: list(c.problems) };
}

function installPlan(p: InstallPlan): InstallPlan {
  return { ...p, row: catalogRow(p.row), missing: list(p.missing), rules: words(p.rules), unhashed: list(p.unhashed), notes: list(p.notes) };
}

function installed(i: Installed): Installed {
  return {
    ...i,
    rules: words(i.rules),
    live: live(i.live),
    variables: list(i.variables),
    checked: list(i.checked),
    unchecked: list(i.unchecked),
    notes: list(i.notes),
    problems: problems(i.problems),
  };
}

function changes(c: Changes): Changes {
  return { servers: list(c?.servers).map((one) => ({ ...one, new: list(one.new), tools: list(one.tools).map((tool) => ({ ...tool, lines: list(tool.lines) })) })) };
}

const hook = (h: Hook): Hook => ({ ...h, said: list(h.said), files: list(h.files) });

/** Makes an answer safe to use: no null where a list belongs. */
export function withLists<M extends Method>(method: M, raw: unknown): Answer<M> {
  return fill(method, raw) as Answer<M>;
}

function fill(method: Method, raw: unknown): unknown {
  switch (method) {
    case 'Overview':
    case 'UseHome':
      return overview(raw as Overview);
    case 'Servers':
      return servers(raw as ServerList);
    case 'Server':
    case 'Look':
      return detail(raw as ServerDetail);
    case 'Catalog':
      return catalog(raw as Catalog);
    case 'InstallPlan':
      return installPlan(raw as InstallPlan);
    case 'InstallEntry':
      return installed(raw as Installed);
    case 'Changes':
    case 'AcceptChanges':
      return changes(raw as Changes);
    case 'ReloadNow': {
      const r = raw as Reloaded;
      return { ...r, changed: list(r.changed), retried: list(r.retried) };
    }
    case 'Findings':
      return audit(raw as Audit);
    case 'Arrival':
      return arrival(raw as Arrival);
    case 'Sessions':
    case 'SearchPast':
      return list(raw as SessionRow[] | null);
    case 'Questions':
      return {
        questions: list((raw as Questions).questions).map((q) => ({
          ...q,
          fields: list(q.fields).map((f) => ({ ...f, options: list(f.options) })),
          calls: list(q.calls).map((c) => ({ ...c, why: list(c.why), scopes: list(c.scopes) })),
        })),
      };
    case 'Grants':
    case 'RevokeGrant':
      return { grants: list((raw as Grants).grants).map((g) => ({ ...g, why: list(g.why), said: list(g.said) })) };
    case 'Transcript': {
      const t = raw as Transcript;
      return { ...t, events: list(t.events) };
    }
    case 'Hooks': {
      const h = raw as HooksList;
      const elsewhere = list(h.not_run).map((one) => ({ ...one, said: list(one.said) }));
      return { ...h, hooks: list(h.hooks).map(hook), not_run: elsewhere, problems: problems(h.problems), notes: list(h.notes) };
    }
    case 'HookLook': {
      const l = raw as HookLook;
      return { ...l, hook: hook(l.hook), contents: list(l.contents) };
    }
    case 'TrustSeen':
    case 'ForgetHook': {
      const c = raw as HookChange;
      return { ...c, hook: hook(c.hook) };
    }
    case 'Why': {
      const w = raw as Why;
      return { ...w, words: words(w.words) };
    }
    case 'SetTool':
    case 'Lock':
    case 'Open':
    case 'Restore':
    case 'Select': {
      const r = raw as Answer<'SetTool'>;
      return { ...r, before: words(r.before), after: words(r.after), warnings: list(r.warnings) };
    }
    default:
      return raw;
  }
}
