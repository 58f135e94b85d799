import { z } from 'zod';
import { envVariable } from '../lib/settings.ts';

/** The source of embeddings, and how many vectors are stored. */
export const embeddingSettings = {
  embeddings: envVariable(
    'WEIR_EMBEDDINGS',
    z
      .string()
      .transform((text, context): EmbeddingsSource => {
        if (text === 'local' || text === 'off') return { from: text };
        const [, provider, model] = /^([a-z][a-z0-9-]*)\/(.+)$/.exec(text) ?? [];
        if (provider !== undefined && model !== undefined) return { from: 'provider', provider, model };
        context.addIssue('must be local, off, or <provider>/<model>');
        return z.NEVER;
      })
      .default({ from: 'local' }),
    'embeddings.source',
  ),
  /** Maximum vectors per module and tenant. */
  vectorsPerScope: envVariable(
    'WEIR_VECTORS_PER_SCOPE',
    z.coerce.number().pipe(z.int().min(1).max(10_000_000)).default(100_000),
    'embeddings.vectors_per_scope',
  ),
} as const;

export type EmbeddingsSource =
  | { readonly from: 'local' | 'off' }
  | { readonly from: 'provider'; readonly provider: string; readonly model: string };
