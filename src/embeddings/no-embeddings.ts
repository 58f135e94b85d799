import type { EmbeddingFailure, EmbeddingFailureReason, Embeddings } from '../kernel/ports/embeddings.ts';

/** Fails every request with a fixed reason. */
export function noEmbeddings(why: EmbeddingFailureReason, source = 'off'): Embeddings {
  const none: EmbeddingFailure = { why };
  return {
    state: () => ({ source, why, whyNotLocal: why }),
    one: async () => none,
    many: async () => none,
    sameAnswer: async () => none,
  };
}
