import type { Embeddings } from '../kernel/ports/embeddings.ts';

/** Embeddings for the texts of one account; those of a redacted call stay in the gateway. */
export function scopeEmbeddings(
  embeddings: Embeddings,
  call: { readonly scope: string; readonly isRedacted: boolean },
): Embeddings {
  return {
    state: () => embeddings.state(),
    one: (text, asking) => embeddings.one(text, { ...asking, ...call }),
    many: (texts, asking) => embeddings.many(texts, { ...asking, ...call }),
    sameAnswer: (pairs, asking) => embeddings.sameAnswer(pairs, asking),
  };
}
