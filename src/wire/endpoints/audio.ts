import type { Usage } from '../../kernel/message.ts';
import type { RelayRequest, RelayRoute } from '../../kernel/relay.ts';
import type { JsonObject } from '../../lib/json.ts';
import { countOf, numberOf, objectOf } from '../json-values.ts';

/**
 * Tokens, or seconds of the recording, which some providers report without a `usage`.
 * https://platform.openai.com/docs/api-reference/audio
 */
function transcriptionUsageOf(answer: JsonObject): Usage | undefined {
  const usage = objectOf(answer.usage) ?? {};
  const seconds =
    numberOf(usage.seconds) ?? numberOf(usage.prompt_audio_seconds) ?? numberOf(answer.duration);
  const input = countOf(usage.input_tokens) ?? countOf(usage.prompt_tokens);
  const output = countOf(usage.output_tokens) ?? countOf(usage.completion_tokens);
  const audio = countOf(objectOf(usage.input_token_details)?.audio_tokens);
  if (input === undefined && output === undefined && seconds === undefined) return undefined;
  return {
    ...(input !== undefined && { input_tokens: input }),
    ...(output !== undefined && { output_tokens: output }),
    ...(audio !== undefined && { input_audio_tokens: audio }),
    ...(seconds !== undefined && { units: { seconds } }),
  };
}

/** Bytes of a second of sound in the most common quality, for answers in formats without a duration. */
const bytesPerSecond = 16_000;

/** OpenAI's transcriptions, in all formats, streamed or not. The recording comes in a form. */
export const transcriptionsRoute: RelayRoute = {
  purpose: 'relay',
  endpoint: 'transcriptions',
  method: 'POST',
  path: '/v1/audio/transcriptions',
  summary: 'OpenAI Audio: write down what is said',
  body: 'form',
  texts: {
    request: { prompt: 'message' },
    answer: ['text', 'word', 'token'],
    isContinuous: true,
    delta: 'delta',
    files: 'audio',
  },
  price: 'tokens',
  usageOf: transcriptionUsageOf,
  estimate: ({ bodyBytes }) =>
    bodyBytes === undefined ? undefined : { units: { seconds: Math.ceil(bodyBytes / bytesPerSecond) } },
};

/** Of spoken text: 15 characters a second, and 1,250 tokens a minute, which OpenAI's price by the minute amounts to. */
const tokensPerCharacter = 1.4;
const tokensPerCharacterMax = 8;

function charactersIn({ fields }: RelayRequest): number {
  const input = fields.get('input');
  return typeof input === 'string' ? input.length : 0;
}

/** OpenAI's speech, as sound or as events, both streamed. */
export const speechRoute: RelayRoute = {
  purpose: 'relay',
  endpoint: 'speech',
  method: 'POST',
  path: '/v1/audio/speech',
  summary: 'OpenAI Audio: speak a text',
  body: 'json',
  bodySchema: {
    type: 'object',
    required: ['model', 'input', 'voice'],
    properties: {
      model: { type: 'string' },
      input: { type: 'string' },
      voice: {},
      response_format: { type: 'string' },
      stream_format: { enum: ['audio', 'sse'] },
    },
    additionalProperties: true,
  },
  texts: { request: { input: 'message', instructions: 'message' } },
  price: 'tokens',
  usageOf(event) {
    const usage = objectOf(event.usage);
    const input = countOf(usage?.input_tokens);
    const output = countOf(usage?.output_tokens);
    return input === undefined && output === undefined
      ? undefined
      : { input_tokens: input ?? 0, output_tokens: output ?? 0 };
  },
  unitsOf: (request) => ({ characters: charactersIn(request) }),
  // Sound reports no usage, so models that are billed by tokens and not by characters are estimated.
  estimate(request) {
    const characters = charactersIn(request);
    return {
      input_tokens: Math.ceil(characters / 4),
      output_tokens: Math.ceil(characters * tokensPerCharacter),
    };
  },
  bound: (request) => ({
    inputTokens: request.bodyBytes ?? 0,
    outputTokens: charactersIn(request) * tokensPerCharacterMax,
    units: { characters: charactersIn(request) },
  }),
};
