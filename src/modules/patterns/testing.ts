import type { Embeddings } from '../../module-api.ts';

/** For tests, two directions: one for what is about cars, the other for all else. */
export const aboutCars: Embeddings = {
  state: () => ({ source: 'test', why: undefined, whyNotLocal: undefined }),
  one: async (text) => ({ vector: vectorOf(text), tokens: 1 }),
  many: async (texts) => ({ vectors: texts.map(vectorOf), tokens: texts.map(() => 1) }),
  sameAnswer: async () => ({ why: 'off' }),
};

function vectorOf(text: string) {
  const isCar = /car|vehicle|automobile/.test(text);
  return { space: 'test/2', values: Float32Array.of(isCar ? 1 : 0, isCar ? 0 : 1) };
}
