import type { RelayRoute } from '../../kernel/relay.ts';
import { countOf, objectOf } from '../json-values.ts';
import { fieldOf } from './vectors.ts';

/** Cohere's own API of embeddings, for its SDKs: https://docs.cohere.com/reference/embed. */
export const cohereEmbeddingsRoute: RelayRoute = {
  purpose: 'relay',
  endpoint: 'cohere_embeddings',
  method: 'POST',
  path: '/v2/embed',
  summary: 'Cohere Embed',
  body: 'json',
  bodySchema: {
    type: 'object',
    required: ['model', 'input_type'],
    properties: {
      model: { type: 'string' },
      input_type: { type: 'string' },
      texts: { type: 'array', items: { type: 'string' } },
      embedding_types: { type: 'array', items: { type: 'string' } },
      output_dimension: { type: 'integer' },
    },
    additionalProperties: true,
  },
  textFields: ['texts', 'inputs'],
  texts: { request: { texts: 'document', inputs: 'document', images: 'document' }, answer: ['texts'] },
  usageOf({ meta }) {
    const billed = objectOf(meta)?.billed_units;
    const tokens = countOf(fieldOf(billed, 'input_tokens'));
    const images = countOf(fieldOf(billed, 'images')) ?? 0;
    if (tokens === undefined && images === 0) return undefined;
    return { input_tokens: tokens ?? 0, output_tokens: 0, ...(images > 0 && { units: { images } }) };
  },
  price: 'tokens',
  bound: ({ bodyBytes = 0 }) => ({ inputTokens: bodyBytes, outputTokens: 0, hasNoAudio: true }),
};
