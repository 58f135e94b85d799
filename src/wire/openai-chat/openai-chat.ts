import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { TokenEstimates, WireFormat } from '../../kernel/wire-format.ts';
import { messagesSchema } from '../body-schema.ts';
import { type AnswerReader, CollectedJson } from '../collected-json.ts';
import { FoldedJson } from '../folded-json.ts';
import { modelInBody } from '../model-in-body.ts';
import { openaiErrorCodes, openaiErrorType } from '../openai/errors.ts';
import { completionOf } from './completion.ts';
import { decodeRequest } from './decode-request.ts';
import { freeTextTools } from './decode-tools.ts';
import { encodeRequest } from './encode-request.ts';
import { bookkeeping, isPlain } from './plain-request.ts';
import { briefOfCompletion, glimpseOfCompletion, readCompletion } from './read-completion.ts';
import { ChatDecoder } from './reply-decoder.ts';
import { ChatEncoder } from './reply-encoder.ts';
import { usageQuestion } from './usage-question.ts';

const reader: AnswerReader = {
  read: readCompletion,
  brief: briefOfCompletion,
  glimpse: glimpseOfCompletion,
};

export const chatEstimates: TokenEstimates = {
  saidIn: ['messages'],
  schemaIn: 'response_format',
  requestTokens: 5,
  textTokens: 1.1,
  bytesPerToken: 6,
  escapeTokens: 0.75,
  toolsTokens: 22,
  toolBytesPerToken: 12,
  schemaBytesPerToken: 7,
  mediaTokens: 300,
  answerTokens: 0,
  tokensPerExpected: 0.9,
  callTokens: 10,
};

/** OpenAI's Chat Completions API, which many other providers speak too. */
export function openaiChatWith(clock: Clock): WireFormat {
  const seconds = () => Math.floor(clock.now() / 1000);
  return {
    name: 'openai-chat',
    routes: [{ path: '/v1/chat/completions', summary: 'OpenAI Chat Completions', purpose: 'answer' }],
    ...modelInBody,
    address: (_model, _streamed, query) => `/chat/completions${query}`,
    bodySchema: messagesSchema,
    bookkeeping,
    isPlain,
    stateFields: [],
    apiHeaders: { prefix: 'openai-', harmless: [] },
    ownHeaders: [],
    keepAlive: Buffer.from(': ping\n\n'),
    estimates: chatEstimates,
    usageQuestion,
    decodeRequest,
    encodeRequest,
    replyDecoder: (framing, interest) =>
      framing === 'json' ? new CollectedJson(reader, interest) : new ChatDecoder(interest),
    replyEncoder: (framing, asked) =>
      framing === 'json'
        ? new FoldedJson((answer) =>
            completionOf(answer, { createdSeconds: seconds(), freeText: freeTextTools(asked.fields) }),
          )
        : new ChatEncoder(asked.fields, seconds()),
    errorType: openaiErrorType,
    errorCodes: openaiErrorCodes,
    // Without a closing [DONE]: the stream did not end well, and the SDK throws at the error itself.
    errorFrame: (envelope) => Buffer.from(`data: ${JSON.stringify(envelope)}\n\n`),
  };
}

export const openaiChat: WireFormat = openaiChatWith(systemClock);
