import type { TokenEstimates, WireFormat } from '../../kernel/wire-format.ts';
import { systemClock } from '../../lib/clock.ts';
import { gemini } from '../gemini/gemini.ts';
import { forwardedQuery } from '../gemini/path.ts';
import { JsonReplyDecoder, type JsonReplyReader } from '../json-reply-decoder.ts';
import { JsonReplyEncoder } from '../json-reply-encoder.ts';
import { interactionsContinuation } from './continuation.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeInteraction } from './encode-interaction.ts';
import { encodeRequest } from './encode-request.ts';
import { errorCodes, errorFrame, errorTypeForStatus } from './errors.ts';
import { replaceForeignContent } from './foreign-content.ts';
import { insertPrompt } from './insert-prompt.ts';
import { readInteraction, summarizeInteraction } from './interaction-reader.ts';
import { modelOrAgent } from './model-or-agent.ts';
import { bookkeeping, isPlain } from './plain-request.ts';
import { InteractionsDecoder } from './reply-decoder.ts';
import { InteractionsEncoder } from './reply-encoder.ts';
import { interactionRoutes } from './routes.ts';

const reader: JsonReplyReader = { read: readInteraction, summarize: summarizeInteraction };

/** The models are those of the other Gemini format. */
const estimates: TokenEstimates = {
  ...gemini.estimates,
  textFields: ['system_instruction', 'input'],
  schemaField: 'response_format',
  outputLimits: [['generation_config', 'max_output_tokens']],
};

function now(): Date {
  return new Date(systemClock.now());
}

/** Google's Interactions API: conversations and replies are lists of steps. */
export const geminiInteractions: WireFormat = {
  name: 'gemini-interactions',
  routes: interactionRoutes,
  ...modelOrAgent,
  requestPath: (_model, _streamed, query) => `/v1beta/interactions${forwardedQuery(query)}`,
  significantQuery: forwardedQuery,
  bodySchema: {
    type: 'object',
    properties: {
      model: { type: 'string' },
      agent: { type: 'string' },
      input: { type: ['string', 'array', 'object'] },
      stream: { type: 'boolean' },
    },
    additionalProperties: true,
  },
  bookkeeping,
  continuation: interactionsContinuation,
  isPlain,
  stateFields: ['agent', 'background', 'continuation_token', 'environment', 'webhook_config'],
  apiHeaders: gemini.apiHeaders,
  // As Google's SDK: without a revision, the API answers in its newest.
  ownHeaders: [],
  keepAlive: Buffer.from(': ping\n\n'),
  estimates,
  decodeRequest,
  insertPrompt,
  encodeRequest,
  replaceForeignContent,
  replyDecoder: (framing, interest) =>
    framing === 'json' ? new JsonReplyDecoder(reader, interest) : new InteractionsDecoder(interest),
  replyEncoder: (framing, clientRequest) =>
    framing === 'json'
      ? new JsonReplyEncoder((answer) => encodeInteraction(answer, clientRequest.body, now()))
      : new InteractionsEncoder(clientRequest.body, now()),
  errorType: errorTypeForStatus,
  errorCodes,
  errorFrame,
};
