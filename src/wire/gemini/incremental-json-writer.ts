import { limits } from '../../kernel/limits.ts';
import type { PathSegment } from './json-path.ts';

interface Container {
  /** How it is reached from the one around it. */
  readonly segment: PathSegment | undefined;
  /** What it has already, where it is an object. */
  readonly keys: Set<string> | undefined;
  count: number;
}

/** Writes an object as text, value by value, in the order in which they come. */
export class IncrementalJsonWriter {
  readonly #openContainers: Container[] = [];
  /** Where the text is that may go on. */
  #openTextPath: readonly PathSegment[] | undefined;

  /** What is to be written for a value, or for more of a text; undefined where it belongs to what is closed already. */
  write(path: readonly PathSegment[], value: unknown): string | undefined {
    if (path.length > limits.jsonDepthMax) return undefined;
    if (typeof value === 'string' && this.#openTextPath !== undefined && isSamePath(path, this.#openTextPath))
      return JSON.stringify(value).slice(1, -1);
    let written =
      this.#closeText() + (this.#openContainers.length === 0 ? this.#openContainer(undefined, path[0]) : '');
    const parents = path.slice(0, -1);
    const shared = this.#sharedDepth(parents);
    written += this.#close(shared + 1);
    for (const [at, pathSegment] of path.entries()) {
      if (at < shared) continue;
      const named = this.#writeKey(pathSegment);
      if (named === undefined) return undefined;
      written += named;
      if (at < parents.length) written += this.#openContainer(pathSegment, path[at + 1]);
    }
    const whole = JSON.stringify(value);
    if (typeof value !== 'string') return written + whole;
    this.#openTextPath = path;
    return written + whole.slice(0, -1);
  }

  /** What is left to be written. */
  end(): string {
    return this.#openContainers.length === 0 ? '{}' : this.#closeText() + this.#close(0);
  }

  /** How many of the containers on the way are open. */
  #sharedDepth(parents: readonly PathSegment[]): number {
    let shared = 0;
    while (shared < parents.length && this.#openContainers[shared + 1]?.segment === parents[shared]) shared++;
    return shared;
  }

  #closeText(): string {
    if (this.#openTextPath === undefined) return '';
    this.#openTextPath = undefined;
    return '"';
  }

  #close(left: number): string {
    return this.#openContainers
      .splice(left)
      .reverse()
      .map(({ keys }) => (keys === undefined ? ']' : '}'))
      .join('');
  }

  #openContainer(segment: PathSegment | undefined, next: PathSegment | undefined): string {
    const isList = segment !== undefined && typeof next === 'number';
    this.#openContainers.push({ segment, keys: isList ? undefined : new Set(), count: 0 });
    return isList ? '[' : '{';
  }

  /** The way to another value of what is open. Places of a list that nothing was said of are empty. */
  #writeKey(pathSegment: PathSegment): string | undefined {
    const container = this.#openContainers.at(-1);
    if (container === undefined) return undefined;
    const { keys, count } = container;
    const comma = count > 0 ? ',' : '';
    if (keys !== undefined) {
      if (typeof pathSegment !== 'string' || keys.has(pathSegment)) return undefined;
      keys.add(pathSegment);
      container.count++;
      return `${comma}${JSON.stringify(pathSegment)}:`;
    }
    if (typeof pathSegment !== 'number' || pathSegment < count || pathSegment - count > limits.listGapMax)
      return undefined;
    container.count = pathSegment + 1;
    return comma + 'null,'.repeat(pathSegment - count);
  }
}

function isSamePath(one: readonly PathSegment[], other: readonly PathSegment[]): boolean {
  return one.length === other.length && one.every((pathSegment, at) => pathSegment === other[at]);
}
