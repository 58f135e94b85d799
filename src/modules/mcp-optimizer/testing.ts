import type { Embeddings, Tool } from '../../module-api.ts';
import { termsOf } from './choice/words.ts';

const size = 512;

/** Fast test embeddings without a model: texts with the same words are close. */
export function wordVectors(isReady: () => boolean = () => true): Embeddings & { readonly asked: string[] } {
  const asked: string[] = [];
  const many: Embeddings['many'] = async (texts, { deadlineMs = 300 } = {}) => {
    if (!isReady() && deadlineMs < 15_000) return { why: 'busy' };
    asked.push(...texts);
    return {
      vectors: texts.map((text) => ({ space: 'words', values: valuesOf(text) })),
      tokens: texts.map(() => 1),
    };
  };
  return {
    asked,
    state: () => ({ source: 'words', why: undefined, whyNotLocal: undefined }),
    many,
    async one(text, asking) {
      const { vectors, why } = await many([text], asking);
      const [vector] = vectors ?? [];
      return vector === undefined ? { why: why ?? 'down' } : { vector, tokens: 1 };
    },
    sameAnswer: async () => ({ why: 'off' }),
  };
}

function valuesOf(text: string): Float32Array {
  const values = new Float32Array(size);
  for (const term of termsOf(text)) {
    let place = 7;
    for (const letter of term) place = (place * 31 + (letter.codePointAt(0) ?? 0)) % size;
    values[place] = 1;
  }
  const length = Math.hypot(...values) || 1;
  return values.map((value) => value / length);
}

/** Tools of several servers with descriptions, one per word. */
export function toolsOf(words: readonly string[]): readonly Tool[] {
  return words.map((word) => ({
    name: `mcp__${word}_server__${word}_lookup`,
    description: `Knows all of ${word}. ${'Understands filters and sorting. '.repeat(8)}`,
    input_schema: { type: 'object', properties: { [word]: { type: 'string' } }, required: [word] },
  }));
}
