import { limits } from '../../kernel/limits.ts';
import type { Step } from './json-path.ts';

interface Container {
  /** How it is reached from the one around it. */
  readonly step: Step | undefined;
  /** What it has already, where it is an object. */
  readonly names: Set<string> | undefined;
  count: number;
}

/** Writes an object as text, value by value, in the order in which they come. */
export class GrowingJson {
  readonly #open: Container[] = [];
  /** Where the text is that may go on. */
  #text: readonly Step[] | undefined;

  /** What is to be written for a value, or for more of a text; undefined where it belongs to what is closed already. */
  write(path: readonly Step[], value: unknown): string | undefined {
    if (path.length > limits.jsonDepthMax) return undefined;
    if (typeof value === 'string' && this.#text !== undefined && isSame(path, this.#text))
      return JSON.stringify(value).slice(1, -1);
    let written = this.#closeText() + (this.#open.length === 0 ? this.#enter(undefined, path[0]) : '');
    const parents = path.slice(0, -1);
    const shared = this.#shared(parents);
    written += this.#close(shared + 1);
    for (const [at, step] of path.entries()) {
      if (at < shared) continue;
      const named = this.#named(step);
      if (named === undefined) return undefined;
      written += named;
      if (at < parents.length) written += this.#enter(step, path[at + 1]);
    }
    const whole = JSON.stringify(value);
    if (typeof value !== 'string') return written + whole;
    this.#text = path;
    return written + whole.slice(0, -1);
  }

  /** What is left to be written. */
  end(): string {
    return this.#open.length === 0 ? '{}' : this.#closeText() + this.#close(0);
  }

  /** How many of the containers on the way are open. */
  #shared(parents: readonly Step[]): number {
    let shared = 0;
    while (shared < parents.length && this.#open[shared + 1]?.step === parents[shared]) shared++;
    return shared;
  }

  #closeText(): string {
    if (this.#text === undefined) return '';
    this.#text = undefined;
    return '"';
  }

  #close(left: number): string {
    return this.#open
      .splice(left)
      .reverse()
      .map(({ names }) => (names === undefined ? ']' : '}'))
      .join('');
  }

  #enter(step: Step | undefined, next: Step | undefined): string {
    const isList = step !== undefined && typeof next === 'number';
    this.#open.push({ step, names: isList ? undefined : new Set(), count: 0 });
    return isList ? '[' : '{';
  }

  /** The way to another value of what is open. Places of a list that nothing was said of are empty. */
  #named(step: Step): string | undefined {
    const container = this.#open.at(-1);
    if (container === undefined) return undefined;
    const { names, count } = container;
    const comma = count > 0 ? ',' : '';
    if (names !== undefined) {
      if (typeof step !== 'string' || names.has(step)) return undefined;
      names.add(step);
      container.count++;
      return `${comma}${JSON.stringify(step)}:`;
    }
    if (typeof step !== 'number' || step < count || step - count > limits.listGapMax) return undefined;
    container.count = step + 1;
    return comma + 'null,'.repeat(step - count);
  }
}

function isSame(one: readonly Step[], other: readonly Step[]): boolean {
  return one.length === other.length && one.every((step, at) => step === other[at]);
}
