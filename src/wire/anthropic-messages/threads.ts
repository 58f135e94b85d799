import type { Continuation } from '../../kernel/continuation.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { FieldReader } from '../../kernel/json/lazy-json-object.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import type { JsonObject } from '../../lib/json.ts';
import { objectOf, objectsOf, omitUndefined, stringOf } from '../json-values.ts';
import { encodeReplyBody } from './reply-encoder.ts';

/** Message threads: a request creates one, and later requests send only what is new since a message of it. */
export const messageThreads: Continuation = {
  isUsed: (fieldReader) => threadIn(fieldReader) !== undefined,
  begins: (fieldReader) => threadIn(fieldReader)?.type === 'create',
  isStoredBy: (provider) => provider.hasThreads === true,
  previousIdIn: (fieldReader) => previousIdOf(threadIn(fieldReader)),
  mayQuote: () => false,
  itemsOf: ({ messages }) => objectsOf(messages),
  quotedIdsIn: () => [],
  resolve: (messages) => messages,
  withoutOwnIds: (messages) => messages,
  withItems: ({ thread: _, ...rest }, messages, shared) => ({ ...rest, ...shared, messages }),
  isContinuable: (fieldReader) => threadIn(fieldReader) !== undefined,
  answerIdOf: (name) => `msg_${name}`,
  turnOf(body, answer) {
    const previous = previousIdOf(objectOf(body.thread));
    const { content } = encodeReplyBody(answer);
    const items = [...objectsOf(body.messages), { role: 'assistant', content }];
    // A thread keeps the instructions and tools that it was created with.
    const { system, tools } = body;
    const turn =
      previous === undefined ? { items, shared: omitUndefined({ system, tools }) } : { previous, items };
    return { id: answer.id, turn };
  },
  notFoundError: (id) =>
    new GatewayError('thread_not_found', `No thread has the message '${id}'.`, {
      param: 'thread.previous_message_id',
    }),
};

function threadIn(fieldReader: FieldReader): JsonObject | undefined {
  return objectOf(fieldReader.get('thread'));
}

function previousIdOf(thread: JsonObject | undefined): string | undefined {
  return thread?.type === 'continue' ? stringOf(thread.previous_message_id) : undefined;
}

/** Anthropic's SDKs send the conversation again when they find this code in the details. */
export const errorBody: NonNullable<WireFormat['errorBody']> = (envelope, { code }) =>
  code === 'thread_not_found'
    ? { ...envelope, error: { ...objectOf(envelope.error), details: { error_code: code } } }
    : envelope;
