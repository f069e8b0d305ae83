/** A piece of a line; a hidden one stands for a character that nobody would see. */
export interface Piece {
  text: string;
  hidden: boolean;
}

// The escapes the program writes (backend/pin), and whatever slipped through: characters that
// are drawn as nothing, or move others about.
const pattern = /\\u\{[0-9A-F]+\}|(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Cuts a line into what can be read and what is hidden in it, which is shown as its code. */
export function piecesOf(text: string): Piece[] {
  const out: Piece[] = [];
  let from = 0;
  for (const found of text.matchAll(pattern)) {
    if (found.index > from) out.push({ text: text.slice(from, found.index), hidden: false });
    const [met] = found;
    const code = met.codePointAt(0) ?? 0;
    out.push({ text: met.length > 2 ? met : `\\u{${code.toString(16).toUpperCase()}}`, hidden: true });
    from = found.index + met.length;
  }
  if (from < text.length) out.push({ text: text.slice(from), hidden: false });
  return out;
}

/** The same where only characters fit: in names for screen readers, options and titles. */
export function plain(text: string): string {
  return piecesOf(text)
    .map((piece) => piece.text)
    .join('');
}
