/**
 * Puts parameters into a text of the policy's catalogue (backend/policy,
 * Template): {n} is parameter n, {n:one|many} one of two forms by whether
 * parameter n is "1", {kn} the entry "kind." + parameter n. Other braces are
 * part of the text.
 */
export function fill(text: string, params: readonly string[], kind: (name: string) => string): string {
  return text.replace(/\{(k?)(\d)(?::([^|}]*)\|([^}]*))?\}/g, (_, k: string, digit: string, one?: string, many?: string) => {
    const value = params[Number(digit)] ?? '';
    if (k) return kind(value);
    if (one !== undefined) return value === '1' ? one : (many ?? '');
    return value;
  });
}
