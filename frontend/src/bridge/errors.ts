/** The stable codes of backend/view.Error, and those of the way to the program. */
export type ErrorCode = 'conflict' | 'refused' | 'unknown_server' | 'usage' | 'failed' | 'unreachable' | 'closed';

const codes: readonly string[] = ['conflict', 'refused', 'unknown_server', 'usage', 'failed', 'unreachable', 'closed'];

/** A call that did not do what was asked: what happened, where, what next. */
export class CallError extends Error {
  override readonly name = 'CallError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly hint = '',
    readonly file = '',
    readonly line = 0,
    readonly column = 0,
  ) {
    super(message);
  }
}

/** Reads whatever a transport was handed as an error: the program's shape, a text, or anything. */
export function toCallError(raw: unknown): CallError {
  if (raw instanceof CallError) return raw;
  if (typeof raw === 'string') return fromText(raw);
  if (raw instanceof Error) return new CallError('failed', raw.message);
  if (raw !== null && typeof raw === 'object') {
    const e = raw as Record<string, unknown>;
    const text = (key: string) => (typeof e[key] === 'string' ? e[key] : '');
    const number = (key: string) => (typeof e[key] === 'number' ? e[key] : 0);
    const code = text('code');
    return new CallError(
      codes.includes(code) ? (code as ErrorCode) : 'failed',
      text('message') || 'the program gave no reason',
      text('hint'),
      text('file'),
      number('line'),
      number('column'),
    );
  }
  return new CallError('failed', 'the program gave no reason');
}

// The window's bindings may hand the program's error over as JSON text.
function fromText(raw: string): CallError {
  try {
    const parsed: unknown = JSON.parse(raw);
    if (parsed !== null && typeof parsed === 'object') return toCallError(parsed);
  } catch {
    // It is a plain sentence.
  }
  return new CallError('failed', raw);
}
