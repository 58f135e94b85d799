import type { WireFormat } from '../../kernel/wire-format.ts';
import { messagesSchema } from '../body-schema.ts';
import { type AnswerReader, CollectedJson } from '../collected-json.ts';
import { FoldedJson } from '../folded-json.ts';
import { modelInBody } from '../model-in-body.ts';
import { headersFor } from './betas.ts';
import { checkRequest } from './check-request.ts';
import { counting } from './counting.ts';
import { encodeRequest } from './encode-request.ts';
import { nameOfError } from './errors.ts';
import { bookkeeping, isPlain } from './plain-request.ts';
import { briefOfMessage, glimpseOfMessage, MessagesDecoder, readMessage } from './reply-decoder.ts';
import { bodyOf, MessagesEncoder } from './reply-encoder.ts';
import { attribution, sessionOf } from './session.ts';

const reader: AnswerReader = { read: readMessage, brief: briefOfMessage, glimpse: glimpseOfMessage };

/** Anthropic's Messages API. The canonical shape is its own, so this codec checks and hardly translates. */
export const anthropicMessages: WireFormat = {
  name: 'anthropic-messages',
  routes: [
    { path: '/v1/messages', summary: 'Anthropic Messages', purpose: 'answer' },
    {
      path: '/v1/messages/count_tokens',
      summary: 'How many tokens a Messages call would be',
      purpose: 'count',
    },
  ],
  ...modelInBody,
  address: (_model, _streamed, query) => `/v1/messages${query}`,
  counting,
  bodySchema: messagesSchema,
  bookkeeping,
  isPlain,
  stateFields: ['thread', 'container'],
  // That one is about browsers.
  apiHeaders: { prefix: 'anthropic-', harmless: ['anthropic-dangerous-direct-browser-access'] },
  ownHeaders: ['anthropic-version', '2023-06-01'],
  keepAlive: Buffer.from('event: ping\ndata: {"type": "ping"}\n\n'),
  estimates: {
    saidIn: ['system', 'messages'],
    schemaIn: 'output_config',
    requestTokens: 8,
    textTokens: 1.4,
    bytesPerToken: 6,
    escapeTokens: 1,
    toolsTokens: 567,
    toolBytesPerToken: 6.2,
    schemaBytesPerToken: 1.4,
    mediaTokens: 1500,
    answerTokens: 2,
    tokensPerExpected: 1.3,
    callTokens: 42,
  },
  decodeRequest: checkRequest,
  encodeRequest,
  headersFor,
  replyDecoder: (framing, interest) =>
    framing === 'json' ? new CollectedJson(reader, interest) : new MessagesDecoder(interest),
  replyEncoder: (framing) => (framing === 'json' ? new FoldedJson(bodyOf) : new MessagesEncoder()),
  session: sessionOf,
  attribution,
  requiresOutputLimit: true,
  errorType: nameOfError,
  errorFrame: (envelope) => Buffer.from(`event: error\ndata: ${JSON.stringify(envelope)}\n\n`),
};
