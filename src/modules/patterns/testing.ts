import type { Embeddings } from '../../module-api.ts';

/** Test embeddings with two directions: texts about cars, and all others. The judge finds all texts about cars equal. */
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
