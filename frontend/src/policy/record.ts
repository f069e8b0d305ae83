import type { Preview, Problem, Summary, Template, Verdict, Words } from './types';

/** Reads a record of the module; backend/policy/wasm/record.go describes them. */
export class Reader {
  #view: DataView;
  #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  number(): number {
    const n = this.#view.getUint32(this.#at, true);
    this.#at += 4;
    return n;
  }

  toggle(): boolean {
    return this.number() === 1;
  }

  text(): string {
    const size = this.number();
    const text = decoder.decode(this.#bytes.subarray(this.#at, this.#at + size));
    this.#at += size;
    return text;
  }

  list<T>(item: () => T): T[] {
    const out: T[] = [];
    for (let left = this.number(); left > 0; left--) {
      out.push(item());
    }
    return out;
  }

  texts(): string[] {
    return this.list(() => this.text());
  }

  words(): Words {
    return { code: this.text(), params: this.texts(), text: this.text() };
  }

  verdict(): Verdict {
    return {
      allowed: this.toggle(),
      rule: this.text(),
      reason: this.words(),
      line: this.number(),
      column: this.number(),
      heldBy: this.text(),
    };
  }

  summary(): Summary {
    return {
      state: this.text() as Summary['state'],
      locked: this.toggle(),
      broken: this.toggle(),
      untrusted: this.toggle(),
      resources: this.toggle(),
      prompts: this.toggle(),
      line: this.number(),
      column: this.number(),
      patterns: this.texts(),
      problems: this.list(() => this.problem()),
      held: this.toggle(),
      since: this.text(),
    };
  }

  problem(): Problem {
    return {
      severity: this.text() as Problem['severity'],
      code: this.text(),
      params: this.texts(),
      message: this.text(),
      hint: this.text(),
      line: this.number(),
      column: this.number(),
    };
  }

  preview(): Preview {
    const outcome = this.number();
    if (outcome === 2) {
      return {
        outcome: 'refused',
        reason: this.words(),
        hint: this.text(),
        line: this.number(),
        column: this.number(),
      };
    }
    return {
      outcome: outcome === 1 ? 'changed' : 'unchanged',
      state: this.text() as Summary['state'],
      locked: this.toggle(),
      list: this.words(),
      row: this.words(),
      panel: this.words(),
      changes: this.list(() => ({ name: this.text(), allowed: this.toggle() })),
    };
  }

  codes(): Template[] {
    return this.list(() => ({ code: this.text(), text: this.text() }));
  }
}

const decoder = new TextDecoder();
