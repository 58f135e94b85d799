import type { InputList, RelayRoute } from '../../kernel/relay.ts';
import { objectOf, objectsOf } from '../json-values.ts';
import { usageOf } from '../openai-chat/usage.ts';

const inputList: InputList = {
  inputsOf(fields) {
    const input = fields.get('input');
    if (typeof input === 'string') return [input];
    const isTexts = Array.isArray(input) && input.length > 0 && input.every((one) => typeof one === 'string');
    // A list of parts, such as a text and a picture, is one input.
    return isTexts ? input : undefined;
  },
  fieldsFor: (inputs) => ({ input: inputs }),
  resultsOf(answer, inputs) {
    const results = objectsOf(answer.results);
    return results.length === inputs ? results : undefined;
  },
  join: (results, [first], model) => ({ ...(first ?? { id: 'modr-cached', model }), results }),
};

/** OpenAI's moderations. Mistral has the same API. */
export const moderationsRoute: RelayRoute = {
  purpose: 'relay',
  endpoint: 'moderations',
  method: 'POST',
  path: '/v1/moderations',
  summary: 'OpenAI Moderations',
  body: 'json',
  bodySchema: {
    type: 'object',
    required: ['input'],
    properties: {
      model: { type: 'string' },
      input: { oneOf: [{ type: 'string' }, { type: 'array', items: {} }] },
    },
    additionalProperties: true,
  },
  defaultModel: 'omni-moderation-latest',
  textFields: ['input'],
  texts: { request: { input: 'message' } },
  usageOf(answer) {
    const usage = objectOf(answer.usage);
    return usage && { ...usageOf(usage, answer), output_tokens: 0 };
  },
  price: 'tokens',
  inputList,
  bound: ({ bodyBytes = 0 }) => ({ inputTokens: bodyBytes, outputTokens: 0, hasNoAudio: true }),
};
