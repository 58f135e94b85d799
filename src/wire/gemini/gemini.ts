import type { WireFormat, WireRoute } from '../../kernel/wire-format.ts';
import { type AnswerReader, CollectedJson } from '../collected-json.ts';
import { FoldedJson } from '../folded-json.ts';
import { briefOfAnswer, readAnswer } from './answer-reader.ts';
import { counting } from './counting.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';
import { errorBody, nameOfError } from './errors.ts';
import { StreamedList } from './layout.ts';
import { asksList, modelInPath } from './path.ts';
import { bookkeeping, harmlessHeaders, isPlain } from './plain-request.ts';
import { GeminiDecoder } from './reply-decoder.ts';
import { bodyOf, GeminiEncoder } from './reply-encoder.ts';

const reader: AnswerReader = { read: readAnswer, brief: briefOfAnswer };

/** What begins so names a model: in both versions of Google's API, and as clients of Vertex AI write it. */
const places = [
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
    { path: `${model}:countTokens`, summary: 'How many tokens a Gemini call would be', purpose: 'count' },
  ];
}

/** Google's own API for its Gemini models. */
export const gemini: WireFormat = {
  name: 'gemini',
  routes: places.flatMap(routesAt),
  ...modelInPath,
  counting,
  bodySchema: {
    type: 'object',
    required: ['contents'],
    properties: { contents: { type: 'array', items: { type: 'object' } } },
    additionalProperties: true,
  },
  bookkeeping,
  isPlain,
  stateFields: [],
  apiHeaders: { prefix: 'x-goog-', harmless: harmlessHeaders },
  ownHeaders: [],
  // Google's SDKs for Python and Go take every line for an answer: an empty piece of one is what they all read.
  keepAlive: Buffer.from(
    'data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"index":0}]}\r\n\r\n',
  ),
  refusesComments: true,
  estimates: {
    saidIn: ['systemInstruction', 'system_instruction', 'contents'],
    schemaIn: 'generationConfig',
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
  encodeRequest,
  replyDecoder: (framing, interest) =>
    framing === 'json' ? new CollectedJson(reader, interest) : new GeminiDecoder(interest),
  replyEncoder: (framing) => (framing === 'json' ? new FoldedJson(bodyOf) : new GeminiEncoder()),
  errorType: nameOfError,
  errorBody,
  errorFrame: (envelope) => Buffer.from(`data: ${JSON.stringify(envelope)}\r\n\r\n`),
  layout: ({ path, query }) => (asksList(path, query) ? new StreamedList() : undefined),
};
