import { acceptanceOf } from '../../kernel/provider.ts';
import type { TokenEstimates, WireFormat } from '../../kernel/wire-format.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { messagesSchema } from '../body-schema.ts';
import { effortOf } from '../effort.ts';
import { speechRoute, transcriptionsRoute } from '../endpoints/audio.ts';
import { cohereEmbeddingsRoute } from '../endpoints/cohere-embeddings.ts';
import { embeddingsRoute } from '../endpoints/embeddings.ts';
import { imageEditsRoute, imageGenerationsRoute } from '../endpoints/images.ts';
import { moderationsRoute } from '../endpoints/moderations.ts';
import { rerankRoutes } from '../endpoints/rerank.ts';
import { JsonReplyDecoder, type JsonReplyReader } from '../json-reply-decoder.ts';
import { JsonReplyEncoder } from '../json-reply-encoder.ts';
import { modelInBody } from '../model-in-body.ts';
import { openaiBatchRoutes } from '../openai/batches.ts';
import { openaiErrorCodes, openaiErrorType } from '../openai/errors.ts';
import { openaiFileRoutes } from '../openai/files.ts';
import { promptCacheSeconds } from '../openai/prompt-cache-retention.ts';
import { decodeRequest } from './decode-request.ts';
import { freeTextTools } from './decode-tools.ts';
import { encodeCompletion } from './encode-completion.ts';
import { isClaude } from './encode-parts.ts';
import { encodeRequest } from './encode-request.ts';
import { replaceForeignContent } from './foreign-content.ts';
import { includeUsageOption } from './include-usage.ts';
import { insertPrompt } from './insert-prompt.ts';
import { bookkeeping, isPlain } from './plain-request.ts';
import { readCompletion, summarizeCompletion, summarizeCompletionTail } from './read-completion.ts';
import { ChatDecoder } from './reply-decoder.ts';
import { ChatEncoder } from './reply-encoder.ts';

const reader: JsonReplyReader = {
  read: readCompletion,
  summarize: summarizeCompletion,
  summarizeTail: summarizeCompletionTail,
};

export const chatEstimates: TokenEstimates = {
  textFields: ['messages'],
  schemaField: 'response_format',
  outputLimits: [['max_tokens'], ['max_completion_tokens']],
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

/** OpenAI's Chat Completions API, which many other providers support too. */
export function createOpenaiChat(clock: Clock): WireFormat {
  const seconds = () => Math.floor(clock.now() / 1000);
  return {
    name: 'openai-chat',
    routes: [
      { path: '/v1/chat/completions', summary: 'OpenAI Chat Completions', purpose: 'answer' },
      embeddingsRoute,
      imageGenerationsRoute,
      imageEditsRoute,
      transcriptionsRoute,
      speechRoute,
      moderationsRoute,
      ...rerankRoutes,
      cohereEmbeddingsRoute,
      ...openaiFileRoutes,
      ...openaiBatchRoutes,
    ],
    ...modelInBody,
    requestPath: (_model, _streamed, query) => `/chat/completions${query}`,
    bodySchema: messagesSchema,
    bookkeeping,
    tagsField: 'metadata',
    promptCacheSeconds,
    isPlain,
    stateFields: [],
    apiHeaders: { prefix: 'openai-', harmless: [] },
    ownHeaders: [],
    needsCacheMarkers: isClaude,
    keepAlive: Buffer.from(': ping\n\n'),
    estimates: chatEstimates,
    usageOptIn: includeUsageOption,
    decodeRequest,
    insertPrompt,
    encodeRequest,
    replaceForeignContent,
    replaceSettings: (request, target) => ({
      reasoning_effort: effortOf(request, acceptanceOf(target).efforts, new Set()),
    }),
    replyDecoder: (framing, interest) =>
      framing === 'json' ? new JsonReplyDecoder(reader, interest) : new ChatDecoder(interest),
    replyEncoder: (framing, clientRequest) =>
      framing === 'json'
        ? new JsonReplyEncoder((answer) =>
            encodeCompletion(answer, {
              createdSeconds: seconds(),
              freeText: freeTextTools(clientRequest.fields),
            }),
          )
        : new ChatEncoder(clientRequest.fields, seconds()),
    errorType: openaiErrorType,
    errorCodes: openaiErrorCodes,
    // No closing [DONE]: the stream failed, and the SDK throws on the error itself.
    errorFrame: (envelope) => Buffer.from(`data: ${JSON.stringify(envelope)}\n\n`),
  };
}

export const openaiChat: WireFormat = createOpenaiChat(systemClock);
