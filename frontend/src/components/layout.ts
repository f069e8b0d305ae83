/**
 * Sets JSON out over lines by its brackets and commas alone. Nothing is read or written anew: a name
 * that stands twice, a number of any length and every escape stay as they are, so that a person sees
 * what a tool would get. What is no JSON is set out as far as it can be.
 */
export function laidOut(text: string): string {
  if (!/^\s*[{[]/.test(text)) return text;
  let out = '';
  let depth = 0;
  let inString = false;
  const line = () => `\n${'  '.repeat(Math.min(depth, maxDepth))}`;
  for (let at = 0; at < text.length; at++) {
    const one = text.charAt(at);
    if (inString) {
      out += one;
      if (one === '\\') out += text.charAt(++at);
      else if (one === '"') inString = false;
      continue;
    }
    switch (one) {
      case '"':
        inString = true;
        out += one;
        break;
      case '{':
      case '[': {
        const end = nextOf(text, at + 1);
        if (text.charAt(end) === (one === '{' ? '}' : ']')) {
          out += one + text.charAt(end);
          at = end;
          break;
        }
        depth++;
        out += one + line();
        break;
      }
      case '}':
      case ']':
        depth = Math.max(0, depth - 1);
        out += line() + one;
        break;
      case ',':
        out += one + line();
        break;
      case ':':
        out += ': ';
        break;
      case ' ':
      case '\n':
      case '\r':
      case '\t':
        break;
      default:
        out += one;
    }
  }
  return out;
}

// Arguments nested deeper than anybody reads are not moved to the right without end.
const maxDepth = 20;

function nextOf(text: string, from: number): number {
  let at = from;
  while (' \n\r\t'.includes(text.charAt(at)) && at < text.length) at++;
  return at;
}
