import { GatewayError } from '../../kernel/errors.ts';
import type { EndpointForm } from '../../kernel/relay.ts';
import type { JsonObject } from '../../lib/json.ts';
import { countOf, objectOf, objectsOf } from '../json-values.ts';
import { fieldOf, isVector, packVector, packVectors, vectorAnswer, wantsBase64 } from './vectors.ts';

/** OpenAI takes 2,048 inputs in one request: https://platform.openai.com/docs/api-reference/embeddings/create. */
export const openaiForm: EndpointForm = { inputsMax: 2048 };

/** For providers of OpenAI's form that may know vectors as lists of numbers only. */
export const numbersForm: EndpointForm = {
  isNeeded: (fields) => fields.get('encoding_format') === 'base64',
  encode: (body) => ({ ...body, encoding_format: 'float' }),
  decode: packVectors,
};

/** Gemini takes a hundred inputs in one request. */
export const geminiForm: EndpointForm = { ...numbersForm, inputsMax: 100 };

/** Mistral has another name for `dimensions`: https://docs.mistral.ai/api/endpoint/embeddings. */
export const mistralForm: EndpointForm = {
  isNeeded: (fields) => fields.get('dimensions') != null || numbersForm.isNeeded?.(fields) === true,
  encode: ({ dimensions, encoding_format: _, ...body }) => ({
    ...body,
    ...(dimensions != null && { output_dimension: dimensions }),
  }),
  decode: (answer, body) => (wantsBase64(body) ? packVectors(answer) : answer),
};

/**
 * Voyage has its own names for `dimensions`, for numbers as a format and for usage:
 * https://docs.voyageai.com/reference/embeddings-api.
 */
export const voyageForm: EndpointForm = {
  inputsMax: 1000,
  encode(body) {
    requireTexts(body, 'Voyage AI');
    const { dimensions, encoding_format: _, user: _user, ...rest } = body;
    return {
      ...rest,
      ...(dimensions != null && { output_dimension: dimensions }),
      ...(wantsBase64(body) && { encoding_format: 'base64' }),
    };
  },
  decode(answer) {
    const vectors = objectsOf(answer.data).map(({ embedding }) => embedding);
    return vectorAnswer({
      vectors,
      model: answer.model,
      tokens: countOf(fieldOf(answer.usage, 'total_tokens')),
    });
  },
};

/** Cohere's own API, since its form of OpenAI's has no dimensions and no type of input: https://docs.cohere.com/reference/embed. */
export const cohereForm: EndpointForm = {
  inputsMax: 96,
  encode(body) {
    const { input: _, dimensions, encoding_format: _format, user: _user, ...rest } = body;
    return {
      input_type: 'search_document',
      ...rest,
      texts: requireTexts(body, 'Cohere'),
      embedding_types: ['float'],
      ...(dimensions != null && { output_dimension: dimensions }),
    };
  },
  decode(answer, body) {
    const list = fieldOf(answer.embeddings, 'float');
    const vectors = Array.isArray(list) ? list.filter(isVector) : [];
    return vectorAnswer({
      vectors: wantsBase64(body) ? vectors.map(packVector) : vectors,
      model: body.model,
      tokens: countOf(fieldOf(objectOf(answer.meta)?.billed_units, 'input_tokens')),
    });
  },
};

/** The texts of a request to a provider that takes no tokens. */
export function requireTexts({ input }: JsonObject, title: string): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (texts.length > 0 && texts.every((text) => typeof text === 'string')) return texts;
  throw new GatewayError(
    'invalid_request',
    `${title} embeds texts: "input" must be a text or a list of texts`,
    {
      param: 'input',
    },
  );
}
