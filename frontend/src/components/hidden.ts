/** A piece of a line; a hidden one stands for a character that nobody would see. */
export interface Piece {
  text: string;
  hidden: boolean;
}

// The escapes the program writes (backend/pin), and whatever slipped through: characters that
// are drawn as nothing, or move others about. Besides, the escapes of Go and of JSON
// (backend/approval), which are told only where what they stand for is such a character.
const pattern = /\\u\{[0-9A-F]+\}|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}|\\x[0-9A-Fa-f]{2}|(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const unseen = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\u034F\u115F\u1160\u17B4\u17B5\u2028\u2029\u2800\u3164\uFFA0\u180B-\u180F\uFE00-\uFE0E\u{E0000}-\u{E0FFF}]/u;

/** Cuts a line into what can be read and what is hidden in it, which is shown as its code. */
export function piecesOf(text: string): Piece[] {
  const out: Piece[] = [];
  let from = 0;
  for (const found of text.matchAll(pattern)) {
    const [met] = found;
    const escaped = /^\\[uUx]([0-9A-Fa-f]+)$/.exec(met)?.[1];
    if (escaped !== undefined && !isUnseen(parseInt(escaped, 16))) continue;
    if (found.index > from) out.push({ text: text.slice(from, found.index), hidden: false });
    const code = escaped === undefined ? (met.codePointAt(0) ?? 0) : parseInt(escaped, 16);
    out.push({ text: escaped === undefined && met.length > 2 ? met : `\\u{${code.toString(16).toUpperCase()}}`, hidden: true });
    from = found.index + met.length;
  }
  if (from < text.length) out.push({ text: text.slice(from), hidden: false });
  return out;
}

function isUnseen(code: number): boolean {
  return code <= 0x10ffff && unseen.test(String.fromCodePoint(code));
}

/** The same where only characters fit: in names for screen readers, options and titles. */
export function plain(text: string): string {
  return piecesOf(text)
    .map((piece) => piece.text)
    .join('');
}
