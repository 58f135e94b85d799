import type { Units, Usage } from '../../kernel/message.ts';
import type { RelayForm, RelayRequest, RelayRoute } from '../../kernel/relay.ts';
import type { JsonObject } from '../../lib/json.ts';
import { countOf, objectOf, objectsOf } from '../json-values.ts';

/**
 * The tokens of OpenAI's image models, where all output is pictures, and the number of pictures.
 * https://platform.openai.com/docs/api-reference/images
 */
function usageOf(answer: JsonObject): Usage | undefined {
  const usage = objectOf(answer.usage);
  const images = objectsOf(answer.data).length;
  const units = images > 0 ? { units: { images } } : {};
  if (usage === undefined) return images > 0 ? units : undefined;
  const output = countOf(usage.output_tokens);
  const details = objectOf(usage.output_tokens_details);
  return {
    ...optional('input_tokens', countOf(usage.input_tokens)),
    ...optional('output_tokens', output),
    ...optional('input_image_tokens', countOf(objectOf(usage.input_tokens_details)?.image_tokens)),
    ...optional('output_image_tokens', countOf(details?.image_tokens) ?? output),
    ...units,
  };
}

function optional<Name extends string>(name: Name, count: number | undefined): { [Key in Name]?: number } {
  return count === undefined ? {} : ({ [name]: count } as { [Key in Name]?: number });
}

function imagesIn({ fields }: RelayRequest): number {
  const n = fields.get('n');
  // A form has texts.
  const count = typeof n === 'number' || typeof n === 'string' ? Number(n) : 1;
  return Number.isInteger(count) && count > 0 ? count : 1;
}

function unitsOf(request: RelayRequest): Units {
  return { images: imagesIn(request) };
}

/** More than a picture of the highest quality has in any size that OpenAI lists. */
const tokensOfPictureMax = 24_000;

/** More than a picture has that is changed, in the highest fidelity. */
const tokensOfInputPictureMax = 10_000;

function textBytesIn(form: RelayForm | undefined): number {
  return Buffer.byteLength(JSON.stringify(form?.texts ?? {}));
}

const shared = {
  purpose: 'relay',
  endpoint: 'images',
  method: 'POST',
  price: 'tokens',
  usageOf,
  unitsOf,
} as const;

/** OpenAI's API for making pictures, streamed or not. */
export const imageGenerationsRoute: RelayRoute = {
  ...shared,
  path: '/v1/images/generations',
  summary: 'OpenAI Images: make pictures',
  body: 'json',
  bodySchema: {
    type: 'object',
    required: ['model', 'prompt'],
    properties: {
      model: { type: 'string' },
      prompt: { type: 'string' },
      n: { type: 'integer' },
      stream: { type: 'boolean' },
      partial_images: { type: 'integer' },
    },
    additionalProperties: true,
  },
  texts: { request: { prompt: 'message' }, answer: ['revised_prompt'] },
  bound: (request) => ({
    inputTokens: request.bodyBytes ?? 0,
    outputTokens: imagesIn(request) * tokensOfPictureMax,
    hasNoAudio: true,
    units: unitsOf(request),
  }),
};

/** The same for changing pictures, which come in a form. */
export const imageEditsRoute: RelayRoute = {
  ...shared,
  endpoint: 'image_edits',
  path: '/v1/images/edits',
  summary: 'OpenAI Images: change pictures',
  body: 'form',
  texts: { request: { prompt: 'message' }, answer: ['revised_prompt'], files: 'image' },
  isBoundByForm: true,
  bound: ({ fields, form, ...request }) => ({
    inputTokens: textBytesIn(form) + (form?.files ?? 0) * tokensOfInputPictureMax,
    outputTokens: imagesIn({ ...request, fields }) * tokensOfPictureMax,
    hasNoAudio: true,
    units: unitsOf({ ...request, fields }),
  }),
};
