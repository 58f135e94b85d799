import type { RelayRoute } from '../../kernel/relay.ts';
import { objectOf } from '../json-values.ts';
import { usageOf } from '../openai-chat/usage.ts';

/** OpenAI's embeddings API, which many other providers support too. */
export const embeddingsRoute: RelayRoute = {
  purpose: 'relay',
  endpoint: 'embeddings',
  method: 'POST',
  path: '/v1/embeddings',
  summary: 'OpenAI Embeddings',
  body: 'json',
  bodySchema: {
    type: 'object',
    required: ['model', 'input'],
    properties: {
      model: { type: 'string' },
      input: {
        oneOf: [
          { type: 'string' },
          { type: 'array', items: { type: 'string' } },
          { type: 'array', items: { type: 'integer' } },
          { type: 'array', items: { type: 'array', items: { type: 'integer' } } },
        ],
      },
    },
    additionalProperties: true,
  },
  textFields: ['input'],
  usageOf(answer) {
    const usage = objectOf(answer.usage);
    return usage && { ...usageOf(usage, answer), output_tokens: 0 };
  },
  price: 'tokens',
  // A token has at least one byte, in a text as well as in a list of numbers.
  bound: ({ bodyBytes = 0 }) => ({ inputTokens: bodyBytes, outputTokens: 0, hasNoAudio: true }),
};
