import type { Embeddings } from '../../module-api.ts';

/** For tests, two directions: one for what is about cars, the other for all else; all about cars is the same. */
export const aboutCars: Embeddings = {
  state: () => ({ source: 'test', why: undefined, whyNotLocal: undefined }),
  one: async (text) => ({ vector: vectorOf(text), tokens: 1 }),
  many: async (texts) => ({ vectors: texts.map(vectorOf), tokens: texts.map(() => 1) }),
  sameAnswer: async (pairs) => ({
    logits: pairs.map(({ before, now }) => (isCar.test(before) && isCar.test(now) ? 3 : -3)),
  }),
};

const isCar = /car|vehicle|automobile/;

function vectorOf(text: string) {
  const about = isCar.test(text);
  return { space: 'test/2', values: Float32Array.of(about ? 1 : 0, about ? 0 : 1) };
}
