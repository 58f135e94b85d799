import { acceptanceOf } from '../../kernel/provider.ts';
import type { TokenEstimates, WireFormat } from '../../kernel/wire-format.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { bodySchema } from '../body-schema.ts';
import { effortOf } from '../effort.ts';
import { JsonReplyDecoder, type JsonReplyReader } from '../json-reply-decoder.ts';
import { JsonReplyEncoder } from '../json-reply-encoder.ts';
import { objectOf } from '../json-values.ts';
import { modelInBody } from '../model-in-body.ts';
import { openaiBookkeeping } from '../openai/bookkeeping.ts';
import { openaiErrorCodes, openaiErrorType } from '../openai/errors.ts';
import { promptCacheSeconds } from '../openai/prompt-cache-retention.ts';
import { agentOf } from './agent.ts';
import { responsesCompaction } from './compaction.ts';
import { responsesContinuation } from './continuation.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';
import { encodeResponse } from './encode-response.ts';
import { errorFrame } from './error-frame.ts';
import { replaceForeignContent } from './foreign-content.ts';
import { insertPrompt } from './insert-prompt.ts';
import { isPlain } from './plain-request.ts';
import { readResponse, summarizeResponse } from './read-response.ts';
import { reframeResponse } from './reframe-response.ts';
import { ResponsesDecoder } from './reply-decoder.ts';
import { ResponsesEncoder } from './reply-encoder.ts';
import { parentSessionOf, sessionOf } from './session.ts';
import { MessageStream } from './socket/message-stream.ts';
import { createSocketFormat } from './socket/socket-format.ts';
import { storedResponseRoutes } from './stored-routes.ts';

const reader: JsonReplyReader = { read: readResponse, summarize: summarizeResponse };

const path = '/v1/responses';

const estimates: TokenEstimates = {
  textFields: ['instructions', 'input'],
  schemaField: 'text',
  outputLimits: [['max_output_tokens']],
  requestTokens: 7,
  textTokens: 0,
  bytesPerToken: 6,
  escapeTokens: 0.75,
  toolsTokens: 0,
  toolBytesPerToken: 6.7,
  schemaBytesPerToken: 7,
  mediaTokens: 300,
  answerTokens: 3,
  tokensPerExpected: 0.9,
  callTokens: 10,
};

/** OpenAI's Responses API: conversations and replies are lists of items. */
export function createOpenaiResponses(clock: Clock): WireFormat {
  const seconds = () => Math.floor(clock.now() / 1000);
  return {
    name: 'openai-responses',
    routes: [{ path, summary: 'OpenAI Responses', purpose: 'answer' }, ...storedResponseRoutes],
    ...modelInBody,
    requestPath: (_model, _streamed, query) => `/responses${query}`,
    bodySchema: bodySchema({ input: { type: ['string', 'array'] } }, []),
    bookkeeping: openaiBookkeeping,
    promptCacheSeconds,
    tagsField: 'metadata',
    continuation: responsesContinuation,
    compaction: responsesCompaction,
    reframe: reframeResponse,
    session: sessionOf,
    parentSession: parentSessionOf,
    agent: agentOf,
    isPlain,
    stateFields: ['conversation', 'background'],
    apiHeaders: { prefix: 'openai-', harmless: [] },
    ownHeaders: [],
    keepAlive: Buffer.from(': ping\n\n'),
    estimates,
    decodeRequest,
    insertPrompt,
    encodeRequest,
    replaceForeignContent,
    replaceSettings: (request, target, fields) => ({
      reasoning: {
        ...objectOf(fields.get('reasoning')),
        effort: effortOf(request, acceptanceOf(target).efforts, new Set()),
      },
    }),
    replyDecoder: (framing, interest) =>
      framing === 'json' ? new JsonReplyDecoder(reader, interest) : new ResponsesDecoder(interest),
    replyEncoder: (framing, clientRequest) =>
      framing === 'json'
        ? new JsonReplyEncoder((answer) => encodeResponse(answer, clientRequest.body, seconds()))
        : new ResponsesEncoder(clientRequest.body, seconds()),
    errorType: openaiErrorType,
    errorCodes: openaiErrorCodes,
    errorFrame,
    socket: createSocketFormat(path, seconds),
    layout: ({ socket }) => (socket === undefined ? undefined : new MessageStream(socket.lane)),
  };
}

export const openaiResponses: WireFormat = createOpenaiResponses(systemClock);
