/** What is no longer than this, in characters, stands in one line. */
const short = 64;

// Arguments nested deeper than anybody reads are not moved to the right without end.
const deepest = 20;

/**
 * Sets JSON out over lines by its brackets and commas alone. Nothing is read or written anew: a name
 * that stands twice, a number of any length and every escape stay as they are, so that a person sees
 * what a tool would get. What is no JSON is given as it is.
 */
export function laidOut(text: string): string {
  if (!/^\s*[{[]/.test(text)) return text;
  const tokens = tokensOf(text);
  let out = '';
  let depth = 0;
  /** The depth at which a container began that stands in one line; -1 outside of one. */
  let flat = -1;
  const line = () => (flat >= 0 ? '' : `\n${'  '.repeat(Math.min(depth, deepest))}`);
  tokens.forEach((token, at) => {
    switch (token) {
      case '{':
      case '[':
        if (flat < 0 && isShort(tokens, at)) flat = depth;
        depth++;
        out += token + line();
        break;
      case '}':
      case ']':
        depth = Math.max(0, depth - 1);
        out += line() + token;
        if (depth === flat) flat = -1;
        break;
      case ',':
        out += token + (line() || ' ');
        break;
      case ':':
        out += ': ';
        break;
      default:
        out += token;
    }
  });
  return out;
}

/** Strings, marks, and what is between them, without the space outside of strings. */
function tokensOf(text: string): string[] {
  return text.match(/"(?:\\[^]|[^"\\])*"?|[{}[\],:]|[^\s"{}[\],:]+/g) ?? [];
}

/** Whether the container that begins at a token ends within one line. */
function isShort(tokens: readonly string[], from: number): boolean {
  let length = 0;
  let depth = 0;
  for (let at = from; at < tokens.length; at++) {
    const token = tokens[at] ?? '';
    length += token.length + (token === ',' || token === ':' ? 1 : 0);
    if (length > short) return false;
    if (token === '{' || token === '[') depth++;
    if ((token === '}' || token === ']') && --depth === 0) return true;
  }
  return false;
}
