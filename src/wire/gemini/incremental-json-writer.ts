import { limits as kernelLimits } from '../../kernel/limits.ts';
import { limits } from '../limits.ts';
import type { PathSegment } from './json-path.ts';

interface Container {
  /** Its key or index in the parent container. */
  readonly segment: PathSegment | undefined;
  /** Keys written so far, if it is an object. */
  readonly keys: Set<string> | undefined;
  count: number;
}

/** Writes an object as JSON text, value by value, in order of arrival. */
export class IncrementalJsonWriter {
  readonly #openContainers: Container[] = [];
  /** Path of the text that may continue. */
  #openTextPath: readonly PathSegment[] | undefined;

  /** The JSON to write for a value or more of a text; undefined if its container is already closed. */
  write(path: readonly PathSegment[], value: unknown): string | undefined {
    if (path.length > kernelLimits.jsonDepthMax) return undefined;
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

  /** Closes what is open. */
  end(): string {
    return this.#openContainers.length === 0 ? '{}' : this.#closeText() + this.#close(0);
  }

  /** Number of open containers on the path. */
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

  /** The key or comma before another value of the open container. Skipped list items become null. */
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
