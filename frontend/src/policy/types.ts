/** A text with the code and parameters it was made from; `text` is the English sentence. */
export type Words = { code: string; params: string[]; text: string };

/** What a server's rules are; see docs/FILTER.md section 1. */
export type State = 'open' | 'only' | 'except' | 'invalid';

/**
 * Whether something may be called now, and why (not). `line` is 0 when the
 * tree has no positions; `heldBy` is the pattern with wildcards that decides,
 * empty for none.
 */
export type Verdict = {
  allowed: boolean;
  rule: string;
  reason: Words;
  line: number;
  column: number;
  heldBy: string;
};

export type Problem = {
  severity: 'error' | 'warning';
  code: string;
  params: string[];
  message: string;
  hint: string;
  line: number;
  column: number;
};

/**
 * What is in force. `held` tells that the file says less and a lost restriction
 * is held against it, `since` the day; see docs/FILTER.md section 6.
 */
export type Summary = {
  state: State;
  locked: boolean;
  broken: boolean;
  untrusted: boolean;
  resources: boolean;
  prompts: boolean;
  line: number;
  column: number;
  patterns: string[];
  problems: Problem[];
  held: boolean;
  since: string;
};

/** How many of the live tools are on; `unmatched` are the patterns that match none. */
export type Count = { allowed: number; total: number; unmatched: string[] };

/** The wanted result of an edit, never "toggle". */
export type Intent =
  | { action: 'on' | 'off'; tool: string; expand?: boolean }
  | { action: 'lock' | 'open' | 'restore' }
  | { action: 'only'; tools: readonly string[] };

/** What an edit would do; nothing is written by asking. */
export type Preview =
  | { outcome: 'refused'; reason: Words; hint: string; line: number; column: number }
  | {
      outcome: 'changed' | 'unchanged';
      state: State;
      locked: boolean;
      list: Words;
      row: Words;
      panel: Words;
      changes: { name: string; allowed: boolean }[];
    };

/** What is not a tool but asked about in the same way. */
export type Special =
  | 'list_resources'
  | 'read_resource'
  | 'list_prompts'
  | 'get_prompt'
  | 'sampling'
  | 'elicitation';

/** One text of the catalogue; see policy.Template for the places in it. */
export type Template = { code: string; text: string };
