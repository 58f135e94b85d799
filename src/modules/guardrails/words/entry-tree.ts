import { space } from './letters.ts';

/** A word or phrase to find. */
export interface Entry<Value> {
  readonly text: string;
  readonly value: Value;
  /** Whether it is also found inside of longer words. */
  readonly isInner?: boolean;
}

export interface WordMatch<Value> {
  readonly start: number;
  readonly end: number;
  readonly value: Value;
}

export interface FoundEntry<Value> extends WordMatch<Value> {
  readonly isInner: boolean;
}

/** A letter of an entry, with what may follow. */
export interface Node<Value> {
  readonly code: number;
  readonly children: Map<number, Node<Value>>;
  /** Set at the end of an entry. */
  entry?: Entry<Value>;
}

export const letterS = 's'.charCodeAt(0);
/** Plurals. */
export const endings = new Set([letterS, 'z'.charCodeAt(0)]);

export function insert<Value>(root: Node<Value>, codes: readonly number[], entry: Entry<Value>): void {
  let node = root;
  for (const code of codes) {
    const child: Node<Value> = node.children.get(code) ?? { code, children: new Map() };
    node.children.set(code, child);
    node = child;
  }
  node.entry = entry;
}

/** Whether an entry begins with these letters, with some of them repeated or spaces left out. */
export function mayBegin<Value>(node: Node<Value>, letters: readonly number[]): boolean {
  const [letter, ...others] = letters;
  if (letter === undefined) return true;
  if (node.entry !== undefined && (letter === space || endings.has(letter))) return true;
  if (letter === node.code && mayBegin(node, others)) return true;
  const phrase = node.children.get(space);
  if (phrase !== undefined && mayBegin(phrase, letters)) return true;
  const child = node.children.get(letter);
  return child !== undefined && (child.entry?.isInner === true || mayBegin(child, others));
}
