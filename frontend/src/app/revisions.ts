/**
 * Knows which revision of the file is the newest one heard of. Revisions are
 * hashes and have no order of their own, so it goes by when they were heard.
 */
export class Revisions {
  private newest = '';
  private heard = 0;

  /** Takes note of a revision that the program just named. */
  learn(revision: string): void {
    if (revision === this.newest) return;
    this.newest = revision;
    this.heard++;
  }

  /** A mark to set before a question. */
  mark(): number {
    return this.heard;
  }

  /**
   * Tells whether an answer is of the past: while it was on its way another
   * revision was heard of, and the answer is not of that one.
   */
  outdated(mark: number, revision: string): boolean {
    return mark !== this.heard && revision !== this.newest;
  }
}

/** How often a question is put again because its answer was of the past. */
const tries = 4;

/** Asks until the answer is not of the past; an older answer is dropped. */
export async function fresh<T>(revisions: Revisions, ask: () => Promise<T>, revisionOf: (answer: T) => string): Promise<T> {
  for (let n = 1; ; n++) {
    const mark = revisions.mark();
    const answer = await ask();
    const revision = revisionOf(answer);
    if (n < tries && revisions.outdated(mark, revision)) continue;
    revisions.learn(revision);
    return answer;
  }
}
