import type { InputList, RelayRoute } from '../../kernel/relay.ts';
import type { JsonObject } from '../../lib/json.ts';
import { countOf, objectOf, objectsOf } from '../json-values.ts';
import { usageOf } from '../openai-chat/usage.ts';

const inputList: InputList = {
  inputsOf(fields) {
    const input = fields.get('input');
    if (!Array.isArray(input)) return typeof input === 'string' ? [input] : undefined;
    if (input.length === 0) return undefined;
    // A list of numbers is one input: the tokens of a text.
    return input.some(Number.isFinite) ? [input] : input;
  },
  fieldsFor: (inputs) => ({ input: inputs }),
  resultsOf(answer, inputs) {
    const results = objectsOf(answer.data).toSorted((one, other) => indexOf(one) - indexOf(other));
    return results.length === inputs ? results : undefined;
  },
  join(results, answers, model) {
    const [first = { object: 'list', model }] = answers;
    const data = results.map((result, index) => ({ ...result, index }));
    const hasUsage = answers.every(({ usage }) => objectOf(usage) !== undefined);
    const total = (name: string) =>
      answers.reduce((sum, { usage }) => sum + (countOf(objectOf(usage)?.[name]) ?? 0), 0);
    const usage = { prompt_tokens: total('prompt_tokens'), total_tokens: total('total_tokens') };
    return { ...first, data, ...(hasUsage && { usage }) };
  },
};

/** Answers without indexes are in the order of the inputs. */
function indexOf({ index }: JsonObject): number {
  return countOf(index) ?? 0;
}

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
      dimensions: { type: 'integer' },
      encoding_format: { enum: ['float', 'base64'] },
    },
    additionalProperties: true,
  },
  textFields: ['input'],
  texts: { request: { input: 'document' } },
  usageOf(answer) {
    const usage = objectOf(answer.usage);
    return usage && { ...usageOf(usage, {}), output_tokens: 0 };
  },
  isUsageAlone: true,
  price: 'tokens',
  inputList,
  // A token has at least one byte, in a text as well as in a list of numbers.
  bound: ({ bodyBytes = 0 }) => ({ inputTokens: bodyBytes, outputTokens: 0, hasNoAudio: true }),
};
