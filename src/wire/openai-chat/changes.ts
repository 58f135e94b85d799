import type { JsonObject } from '../../kernel/json.ts';
import type { ChatRequest, Message } from '../../kernel/message.ts';
import type { Received } from '../../kernel/received.ts';
import { changedFields } from '../changed-fields.ts';
import { ownFields } from '../foreign.ts';
import { originalsOf } from '../openai/origin.ts';
import { objectsOf } from '../read.ts';
import { leadingInstructions } from './decode-messages.ts';
import { choiceOf, encodeFormat, encodeLimit, restoreTools } from './encode-fields.ts';
import { encodeMessage, encodeSystem } from './encode-messages.ts';
import type { Encoding } from './encode-parts.ts';

/** What to write over the client's own body: only fields that are not what was read from it. */
export function changesOf(request: ChatRequest, received: Received, encoding: Encoding): JsonObject {
  const changes: Record<string, unknown> = {};
  for (const field of changedFields(request, received.request)) {
    if (field === 'system') changes.messages ??= conversationOf(request, received, encoding);
    else Object.assign(changes, changeOf(field, { request, received, encoding }));
  }
  return changes;
}

interface Change {
  readonly request: ChatRequest;
  readonly received: Received;
  readonly encoding: Encoding;
}

function changeOf(field: string, { request, received, encoding }: Change): JsonObject {
  switch (field) {
    case 'messages':
      return { messages: conversationOf(request, received, encoding) };
    case 'max_tokens':
      return limitOf(request, received.body, encoding.accepts);
    case 'tools':
      return { tools: restoreTools(request.tools, encoding) };
    case 'tool_choice':
      return {
        tool_choice: undefined,
        parallel_tool_calls: undefined,
        ...choiceOf(request.tool_choice),
      };
    case 'stop_sequences':
      return { stop: request.stop_sequences };
    case 'metadata': {
      const name = received.body.safety_identifier === undefined ? 'user' : 'safety_identifier';
      return { [name]: request.metadata?.user_id ?? undefined };
    }
    case 'output_config':
      return {
        reasoning_effort: request.output_config?.effort ?? undefined,
        response_format: encodeFormat(request),
      };
    case 'extensions':
      return { ...removed(ownFields(received.request, 'openai-chat')), ...ownFields(request, 'openai-chat') };
    case 'model':
    case 'stream':
    case 'temperature':
    case 'top_p':
    case 'top_k':
      return { [field]: request[field] };
    default:
      encoding.dropped.add(field);
      return {};
  }
}

function removed(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(fields).map((field) => [field, undefined]));
}

/** Under the name that the client used. */
function limitOf(request: ChatRequest, body: JsonObject, accepts: Encoding['accepts']): JsonObject {
  const named = ['max_tokens', 'max_completion_tokens'].filter((name) => body[name] != null);
  if (named.length === 0) return encodeLimit(request, accepts);
  return Object.fromEntries(named.map((name) => [name, request.max_tokens]));
}

function conversationOf(request: ChatRequest, received: Received, encoding: Encoding): readonly JsonObject[] {
  const before = objectsOf(received.body.messages);
  const unchanged = request.system === received.request.system;
  const head = unchanged
    ? before.slice(0, leadingInstructions(before))
    : encodeSystem(request.system, encoding);
  return [...head, ...request.messages.flatMap((message) => restored(message, encoding))];
}

function restored(message: Message, encoding: Encoding): readonly JsonObject[] {
  return originalsOf(message) ?? encodeMessage(message, encoding);
}
