import { createContentReplacer } from './content-replacer.ts';
import type { Rewrite } from './rewrite-events.ts';
import type { TextMatch } from './text-replacer.ts';

/**
 * For `reply.map`: replaces placeholders with their values in text, tool input, citations and content of a single wire
 * format. A stream is held back only where it may continue as a placeholder. Thoughts keep their placeholders, since
 * clients have to send them back unchanged.
 */
export function createPlaceholderReplacer(values: ReadonlyMap<string, string>): Rewrite {
  const placeholders = [...values.keys()].filter((placeholder) => placeholder !== '');
  const search = new PlaceholderSearch(placeholders);
  return createContentReplacer({
    *find(text, from): Generator<TextMatch> {
      for (let start = from; start < text.length; ) {
        const found = search.placeholderAt(text, start);
        if (found === undefined) {
          start++;
          continue;
        }
        const end = start + found.length;
        yield { start, end, replacement: values.get(found) ?? found };
        start = end;
      }
    },
    holdBackChars: Math.max(0, ...placeholders.map(({ length }) => length)),
    partialMatchAt: (text) => search.partialMatchAt(text),
    in: ['text', 'tool-input'],
  });
}

/** Looks placeholders up by their first character. */
class PlaceholderSearch {
  readonly longestFirst: readonly string[];
  readonly #byFirst = new Map<string, string[]>();

  constructor(placeholders: readonly string[]) {
    this.longestFirst = placeholders.toSorted((one, other) => other.length - one.length);
    for (const placeholder of this.longestFirst) {
      const first = placeholder.charAt(0);
      const same = this.#byFirst.get(first) ?? [];
      same.push(placeholder);
      this.#byFirst.set(first, same);
    }
  }

  placeholderAt(text: string, at: number): string | undefined {
    return this.#byFirst.get(text.charAt(at))?.find((placeholder) => text.startsWith(placeholder, at));
  }

  /** Where the text may end with the beginning of a placeholder. */
  partialMatchAt(text: string): number {
    const [longest = ''] = this.longestFirst;
    for (let at = Math.max(0, text.length - longest.length + 1); at < text.length; at++) {
      const rest = text.slice(at);
      const isPartial = (placeholder: string) =>
        placeholder.length > rest.length && placeholder.startsWith(rest);
      if (this.#byFirst.get(text.charAt(at))?.some(isPartial) === true) return at;
    }
    return text.length;
  }
}
