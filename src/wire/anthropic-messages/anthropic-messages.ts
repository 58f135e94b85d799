import type { WireFormat } from '../../kernel/wire-format.ts';
import { messagesSchema } from '../body-schema.ts';
import { JsonReplyDecoder, type JsonReplyReader } from '../json-reply-decoder.ts';
import { JsonReplyEncoder } from '../json-reply-encoder.ts';
import { modelInBody } from '../model-in-body.ts';
import { agentOf, isCompacted } from './agent.ts';
import { ownVersion, rulesOfVersion } from './api-versions.ts';
import { anthropicBatchRoutes } from './batches.ts';
import { withRequiredBetas } from './betas.ts';
import { checkRequest } from './check-request.ts';
import { encodeRequest } from './encode-request.ts';
import { errorTypeForStatus } from './errors.ts';
import { anthropicFileRoutes } from './files.ts';
import { replaceForeignContent } from './foreign-content.ts';
import { insertPrompt } from './insert-prompt.ts';
import { limitHeaders } from './limit-headers.ts';
import { bookkeeping, isPlain } from './plain-request.ts';
import { replaceSettings } from './replace-settings.ts';
import { MessagesDecoder, readMessage, summarizeMessage, summarizeMessageTail } from './reply-decoder.ts';
import { encodeReplyBody, MessagesEncoder } from './reply-encoder.ts';
import { attribution, parentSessionOf, sessionOf } from './session.ts';
import { errorBody, messageThreads } from './threads.ts';
import { messagesTokenCounting } from './token-counting.ts';

const reader: JsonReplyReader = {
  read: readMessage,
  summarize: summarizeMessage,
  summarizeTail: summarizeMessageTail,
};

/** Anthropic's Messages API. The canonical shape is based on it, so this codec checks and hardly translates. */
export const anthropicMessages: WireFormat = {
  name: 'anthropic-messages',
  routes: [
    { path: '/v1/messages', summary: 'Anthropic Messages', purpose: 'answer' },
    {
      path: '/v1/messages/count_tokens',
      summary: 'Count the tokens of a Messages request',
      purpose: 'count',
    },
    ...anthropicFileRoutes,
    ...anthropicBatchRoutes,
  ],
  ...modelInBody,
  requestPath: (_model, _streamed, query) => `/v1/messages${query}`,
  counting: messagesTokenCounting,
  bodySchema: messagesSchema,
  bookkeeping,
  isPlain,
  stateFields: ['thread', 'container'],
  continuation: messageThreads,
  // This header only concerns browsers.
  apiHeaders: { prefix: 'anthropic-', harmless: ['anthropic-dangerous-direct-browser-access'] },
  ownHeaders: ['anthropic-version', ownVersion],
  needsCacheMarkers: () => true,
  keepAlive: Buffer.from('event: ping\ndata: {"type": "ping"}\n\n'),
  estimates: {
    textFields: ['system', 'messages'],
    schemaField: 'output_config',
    outputLimits: [['max_tokens']],
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
  limitHeaders,
  decodeRequest: checkRequest,
  insertPrompt,
  encodeRequest,
  replaceForeignContent,
  replaceSettings,
  rejectedFields: (clientRequest) => rulesOfVersion(clientRequest.header('anthropic-version')).rejects,
  headersFor: withRequiredBetas,
  replyDecoder: (framing, interest) =>
    framing === 'json' ? new JsonReplyDecoder(reader, interest) : new MessagesDecoder(interest),
  replyEncoder: (framing) =>
    framing === 'json' ? new JsonReplyEncoder(encodeReplyBody) : new MessagesEncoder(),
  session: sessionOf,
  parentSession: parentSessionOf,
  agent: agentOf,
  isCompacted,
  attribution,
  requiresOutputLimit: true,
  errorType: errorTypeForStatus,
  errorBody,
  errorFrame: (envelope) => Buffer.from(`event: error\ndata: ${JSON.stringify(envelope)}\n\n`),
};
