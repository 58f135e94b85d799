import type { Finding } from '../finding.ts';
import type { KnownValue } from './vault.ts';

/** Finds values of a conversation again, word by word. */
export class KnownValueSearch {
  readonly #byFirstWord = new Map<string, IndexedValue[]>();

  constructor(values: readonly KnownValue[]) {
    for (const known of values) {
      const first = words.exec(known.value);
      words.lastIndex = 0;
      if (first === null) continue;
      const indexed = { known, offset: first.index };
      const same = this.#byFirstWord.get(first[0]);
      if (same === undefined) this.#byFirstWord.set(first[0], [indexed]);
      else same.push(indexed);
    }
  }

  /** In order and without overlaps, the longest value first. `isSought` excludes values. */
  find(text: string, isSought: (known: KnownValue) => boolean): readonly Finding[] {
    const findings: Finding[] = [];
    if (this.#byFirstWord.size === 0) return findings;
    let end = 0;
    for (const { 0: word, index } of text.matchAll(words)) {
      if (index < end) continue;
      let longest: IndexedValue | undefined;
      for (const indexed of this.#byFirstWord.get(word) ?? [])
        if (
          indexed.known.value.length > (longest?.known.value.length ?? 0) &&
          index - indexed.offset >= end &&
          isAt(indexed, text, index) &&
          isSought(indexed.known)
        )
          longest = indexed;
      if (longest === undefined) continue;
      const start = index - longest.offset;
      end = start + longest.known.value.length;
      findings.push({ start, end, kind: longest.known.kind });
    }
    return findings;
  }
}

interface IndexedValue {
  readonly known: KnownValue;
  /** The offset of its first word. */
  readonly offset: number;
}

const words = /[\p{L}\p{N}]+/gu;
const wordEnd = /[\p{L}\p{N}]$/u;
const wordStart = /^[\p{L}\p{N}]/u;

function isAt({ known: { value, before }, offset }: IndexedValue, text: string, index: number): boolean {
  const start = index - offset;
  if (!text.startsWith(value, start)) return false;
  if (before !== '' && (start < before.length || !text.startsWith(before, start - before.length)))
    return false;
  const end = start + value.length;
  return !wordEnd.test(value) || !wordStart.test(text.slice(end, end + 2));
}
