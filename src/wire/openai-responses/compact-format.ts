import type { Compaction } from '../../kernel/compaction.ts';
import type { Answer } from '../../kernel/message.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import type { JsonObject } from '../../lib/json.ts';
import { bodySchema } from '../body-schema.ts';
import { type DecodedReply, JsonReplyDecoder } from '../json-reply-decoder.ts';
import { JsonReplyEncoder } from '../json-reply-encoder.ts';
import { objectsOf } from '../json-values.ts';
import { compactFormatName, dropTriggers, nameOf, responsesCompaction, userItemsOf } from './compaction.ts';
import { responsesContinuation } from './continuation.ts';
import { encodeOutputItems, responseIdOf } from './encode-response.ts';
import { toForeignBlock } from './foreign-items.ts';
import { inputItemsOf } from './input-items.ts';
import { createOpenaiResponses } from './openai-responses.ts';
import { readResponse, summarizeResponse } from './read-response.ts';
import { encodeUsage } from './usage.ts';

/** The user's messages stay; the compaction replaces the rest. */
const compaction: Compaction = {
  ...responsesCompaction,
  mayConcern: () => true,
  isRequested: () => true,
  retainedItems: (request, callId) =>
    userItemsOf(request).map((item, at) => ({
      type: 'message',
      status: 'completed',
      ...item,
      id: `msg_${nameOf(callId)}_${at}`,
      content: typeof item.content === 'string' ? [{ type: 'input_text', text: item.content }] : item.content,
    })),
};

const { background: _background, ...continuation } = responsesContinuation;

/** OpenAI's endpoint that compacts a conversation: a Responses request, answered with a list of items to continue from. */
function createCompactFormat(clock: Clock): WireFormat {
  const { reframe, promptCacheSeconds, socket, layout, ...responses } = createOpenaiResponses(clock);
  const reader = { read: readCompaction, summarize: summarizeResponse };
  return {
    ...responses,
    name: compactFormatName,
    routes: [{ path: '/v1/responses/compact', summary: 'OpenAI Responses, compaction', purpose: 'answer' }],
    bodySchema: bodySchema({ input: { type: ['string', 'array', 'null'] } }, []),
    readRouting: (fieldReader) => ({ model: fieldReader.get('model'), stream: false }),
    requestPath: (_model, _streamed, query) => `/responses/compact${query}`,
    isPlain: () => false,
    compaction,
    continuation: { ...continuation, isContinuable: () => false },
    decodeRequest: ({ stream: _stream, ...body }) =>
      responses.decodeRequest({ ...body, input: [...inputItemsOf(body), { type: 'compaction_trigger' }] }),
    encodeRequest: (request, clientRequest, accepts) =>
      responses.encodeRequest(
        { ...request, messages: dropTriggers(request.messages) },
        clientRequest,
        accepts,
      ),
    replyDecoder: (framing, interest) =>
      framing === 'json' ? new JsonReplyDecoder(reader, interest) : responses.replyDecoder(framing, interest),
    replyEncoder: (_framing, clientRequest) =>
      new JsonReplyEncoder((answer) =>
        encodeCompaction(answer, clientRequest.body, Math.floor(clock.now() / 1000)),
      ),
  };
}

export const openaiResponsesCompact: WireFormat = createCompactFormat(systemClock);

/** All items are kept as they are: the user's messages among them are no output of the model. */
function readCompaction(body: JsonObject): DecodedReply {
  const read = readResponse(body);
  if (read === undefined || !('answer' in read)) return read;
  return { answer: { ...read.answer, content: objectsOf(body.output).map(toForeignBlock) } };
}

function encodeCompaction(answer: Answer, clientBody: JsonObject, createdSeconds: number): JsonObject {
  return {
    id: responseIdOf(answer.id),
    object: 'response.compaction',
    created_at: createdSeconds,
    output: encodeOutputItems(answer, clientBody),
    usage: encodeUsage(answer.usage),
  };
}
