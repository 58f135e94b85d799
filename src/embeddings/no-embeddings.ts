import type { EmbeddingFailure, EmbeddingFailureReason, Embeddings } from '../kernel/ports/embeddings.ts';

/** For where there are none, and the reason is known from the start. */
export function noEmbeddings(why: EmbeddingFailureReason, source = 'off'): Embeddings {
  const none: EmbeddingFailure = { why };
  return {
    state: () => ({ source, why, whyNotLocal: why }),
    one: async () => none,
    many: async () => none,
    sameAnswer: async () => none,
  };
}
