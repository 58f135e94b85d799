import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { TokenEstimates, WireFormat } from '../../kernel/wire-format.ts';
import { bodySchema } from '../body-schema.ts';
import { type AnswerReader, CollectedJson } from '../collected-json.ts';
import { FoldedJson } from '../folded-json.ts';
import { modelInBody } from '../model-in-body.ts';
import { openaiBookkeeping } from '../openai/bookkeeping.ts';
import { openaiErrorCodes, openaiErrorType } from '../openai/errors.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';
import { errorFrame } from './error-frame.ts';
import { responsesContinuation } from './history.ts';
import { isPlain } from './plain-request.ts';
import { briefOfResponse, readResponse } from './read-response.ts';
import { reframed } from './reframed.ts';
import { ResponsesDecoder } from './reply-decoder.ts';
import { ResponsesEncoder } from './reply-encoder.ts';
import { sessionOf } from './session.ts';
import { responseOf } from './write-response.ts';

const reader: AnswerReader = { read: readResponse, brief: briefOfResponse };

const estimates: TokenEstimates = {
  saidIn: ['instructions', 'input'],
  schemaIn: 'text',
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

/** OpenAI's Responses API: a conversation is a list of items, and so is an answer. */
export function openaiResponsesWith(clock: Clock): WireFormat {
  const seconds = () => Math.floor(clock.now() / 1000);
  return {
    name: 'openai-responses',
    routes: [{ path: '/v1/responses', summary: 'OpenAI Responses', purpose: 'answer' }],
    ...modelInBody,
    address: (_model, _streamed, query) => `/responses${query}`,
    bodySchema: bodySchema({ input: { type: ['string', 'array'] } }, []),
    bookkeeping: openaiBookkeeping,
    continuation: responsesContinuation,
    reframed,
    session: sessionOf,
    isPlain,
    stateFields: ['conversation', 'background'],
    apiHeaders: { prefix: 'openai-', harmless: [] },
    ownHeaders: [],
    keepAlive: Buffer.from(': ping\n\n'),
    estimates,
    decodeRequest,
    encodeRequest,
    replyDecoder: (framing, interest) =>
      framing === 'json' ? new CollectedJson(reader, interest) : new ResponsesDecoder(interest),
    replyEncoder: (framing, asked) =>
      framing === 'json'
        ? new FoldedJson((answer) => responseOf(answer, asked.body, seconds()))
        : new ResponsesEncoder(asked.body, seconds()),
    errorType: openaiErrorType,
    errorCodes: openaiErrorCodes,
    errorFrame,
  };
}

export const openaiResponses: WireFormat = openaiResponsesWith(systemClock);
