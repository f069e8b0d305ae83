/** Whole seconds of a time span in milliseconds, never less than none. */
export function secondsOf(milliseconds: number): number {
  return Number.isFinite(milliseconds) ? Math.max(0, Math.floor(milliseconds / 1000)) : 0;
}

/** A span as people count it. The signs are the same in every language of the page. */
export function spanOf(seconds: number): string {
  if (seconds <= 90) return `${seconds} s`;
  if (seconds <= 90 * 60) return `${Math.ceil(seconds / 60)} min`;
  return `${Math.ceil(seconds / 3600)} h`;
}

/** A moment of today by its time, of another day with its date; '' for none. */
export function momentOf(iso: string, language: string, now = new Date()): string {
  const at = new Date(iso);
  if (iso === '' || Number.isNaN(at.getTime())) return '';
  const today = at.toDateString() === now.toDateString();
  return new Intl.DateTimeFormat(language, today ? { timeStyle: 'medium' } : { dateStyle: 'medium', timeStyle: 'short' }).format(at);
}

/** An amount of memory. */
export function size(bytes: number, language: string): string {
  const megabytes = bytes / (1 << 20);
  return new Intl.NumberFormat(language, { style: 'unit', unit: 'megabyte', maximumFractionDigits: megabytes < 10 ? 1 : 0 }).format(megabytes);
}

const longReason = 200;
const longPart = 120;

/** A long reason in short: without the parts that list things. The whole is for whoever asks. */
export function inShort(reason: string): string {
  if (reason.length <= longReason) return reason;
  const parts = reason.split('; ').filter((part) => part.length <= longPart);
  return parts.length > 0 ? parts.join('; ') : `${reason.slice(0, longReason)}…`;
}
