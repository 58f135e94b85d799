import type { WireFormat, WireRoute } from '../../kernel/wire-format.ts';
import { JsonReplyDecoder, type JsonReplyReader } from '../json-reply-decoder.ts';
import { JsonReplyEncoder } from '../json-reply-encoder.ts';
import { geminiBatchRoutes } from './batches.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';
import { errorBody, errorFrame, errorTypeForStatus } from './errors.ts';
import { geminiFileRoutes } from './files.ts';
import { replaceForeignContent } from './foreign-content.ts';
import { insertPrompt } from './insert-prompt.ts';
import { JsonArrayStream } from './json-array-stream.ts';
import { modelInPath, wantsJsonArray } from './path.ts';
import { bookkeeping, harmlessHeaders, isPlain } from './plain-request.ts';
import { GeminiDecoder } from './reply-decoder.ts';
import { encodeReplyBody, GeminiEncoder } from './reply-encoder.ts';
import { readResponse, summarizeResponse } from './response-reader.ts';
import { geminiTokenCounting } from './token-counting.ts';

const reader: JsonReplyReader = { read: readResponse, summarize: summarizeResponse };

/** Path prefixes of a model: both versions of Google's API, and Vertex AI. */
const modelPaths = [
  '/v1beta/models/*',
  '/v1/models/*',
  '/v1beta1/projects/*',
  '/v1beta1/publishers/*',
  '/v1/projects/*',
  '/v1/publishers/*',
];

function routesAt(model: string): readonly WireRoute[] {
  return [
    { path: `${model}:generateContent`, summary: 'Gemini', purpose: 'answer' },
    { path: `${model}:streamGenerateContent`, summary: 'Gemini, streamed', purpose: 'answer' },
    { path: `${model}:countTokens`, summary: 'Count the tokens of a Gemini request', purpose: 'count' },
  ];
}

/** Google's own API for its Gemini models. */
export const gemini: WireFormat = {
  name: 'gemini',
  routes: [...modelPaths.flatMap(routesAt), ...geminiFileRoutes, ...geminiBatchRoutes],
  ...modelInPath,
  counting: geminiTokenCounting,
  bodySchema: {
    type: 'object',
    required: ['contents'],
    properties: { contents: { type: 'array', items: { type: 'object' } } },
    additionalProperties: true,
  },
  bookkeeping,
  tagsField: 'labels',
  isPlain,
  stateFields: [],
  apiHeaders: { prefix: 'x-goog-', harmless: harmlessHeaders },
  ownHeaders: [],
  // Google's SDKs for Python and Go parse every line as a response: all of them accept an empty one.
  keepAlive: Buffer.from(
    'data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"index":0}]}\r\n\r\n',
  ),
  rejectsComments: true,
  estimates: {
    textFields: ['systemInstruction', 'system_instruction', 'contents'],
    schemaField: 'generationConfig',
    outputLimits: [
      ['generationConfig', 'maxOutputTokens'],
      ['generationConfig', 'max_output_tokens'],
      ['generation_config', 'maxOutputTokens'],
      ['generation_config', 'max_output_tokens'],
    ],
    requestTokens: 2,
    textTokens: 0,
    bytesPerToken: 6,
    escapeTokens: 0.75,
    toolsTokens: 20,
    toolBytesPerToken: 6,
    schemaBytesPerToken: 7,
    mediaTokens: 300,
    answerTokens: 0,
    tokensPerExpected: 0.8,
    callTokens: 10,
  },
  decodeRequest,
  insertPrompt,
  encodeRequest,
  replaceForeignContent,
  replyDecoder: (framing, interest) =>
    framing === 'json' ? new JsonReplyDecoder(reader, interest) : new GeminiDecoder(interest),
  replyEncoder: (framing) =>
    framing === 'json' ? new JsonReplyEncoder(encodeReplyBody) : new GeminiEncoder(),
  errorType: errorTypeForStatus,
  errorBody,
  errorFrame,
  sendsErrorBeforeBreak: true,
  layout: ({ path, query }) => (wantsJsonArray(path, query) ? new JsonArrayStream() : undefined),
};
