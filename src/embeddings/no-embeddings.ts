import type { Embeddings, NoVectors, WhyNoVectors } from '../kernel/ports/embeddings.ts';

/** For where there are none, and the reason is known from the start. */
export function noEmbeddings(why: WhyNoVectors, source = 'off'): Embeddings {
  const none: NoVectors = { why };
  return {
    state: () => ({ source, why, whyNotLocal: why }),
    one: async () => none,
    many: async () => none,
    sameAnswer: async () => none,
  };
}
