import type { ClientRequest } from '../../kernel/client-request.ts';
import type { ChatRequest, Message } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { changedFields } from '../changed-fields.ts';
import { extensionBodyFields } from '../foreign.ts';
import { objectsOf } from '../json-values.ts';
import { originalsOf } from '../originals.ts';
import { leadingInstructions } from './decode-messages.ts';
import { encodeFormat, encodeLimit, restoreTools, toolChoiceFields } from './encode-fields.ts';
import { encodeMessage, encodeSystem } from './encode-messages.ts';
import type { EncodeContext } from './encode-parts.ts';

/** The changes to the client's own body: only fields that differ from those decoded. */
export function changesOf(
  request: ChatRequest,
  clientRequest: ClientRequest,
  encodeContext: EncodeContext,
): JsonObject {
  const changes: Record<string, unknown> = {};
  for (const field of changedFields(request, clientRequest.request)) {
    if (field === 'system') changes.messages ??= conversationOf(request, clientRequest, encodeContext);
    else
      Object.assign(changes, changeOf(field, { request, received: clientRequest, encoding: encodeContext }));
  }
  return changes;
}

interface Change {
  readonly request: ChatRequest;
  readonly received: ClientRequest;
  readonly encoding: EncodeContext;
}

function changeOf(
  field: string,
  { request, received: clientRequest, encoding: encodeContext }: Change,
): JsonObject {
  switch (field) {
    case 'messages':
      return { messages: conversationOf(request, clientRequest, encodeContext) };
    case 'max_tokens':
      return encodeChangedLimit(request, clientRequest.body, encodeContext.accepts);
    case 'tools':
      return { tools: restoreTools(request.tools, encodeContext) };
    case 'tool_choice':
      return {
        tool_choice: undefined,
        parallel_tool_calls: undefined,
        ...toolChoiceFields(request.tool_choice),
      };
    case 'stop_sequences':
      return { stop: request.stop_sequences };
    case 'metadata': {
      const name = clientRequest.body.safety_identifier === undefined ? 'user' : 'safety_identifier';
      return { [name]: request.metadata?.user_id ?? undefined };
    }
    case 'output_config':
      return {
        reasoning_effort: request.output_config?.effort ?? undefined,
        response_format: encodeFormat(request),
      };
    case 'extensions':
      return {
        ...unsetFields(extensionBodyFields(clientRequest.request, 'openai-chat')),
        ...extensionBodyFields(request, 'openai-chat'),
      };
    case 'model':
    case 'stream':
    case 'temperature':
    case 'top_p':
    case 'top_k':
      return { [field]: request[field] };
    default:
      encodeContext.dropped.add(field);
      return {};
  }
}

function unsetFields(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(fields).map((field) => [field, undefined]));
}

/** Keeps the field name that the client used. */
function encodeChangedLimit(
  request: ChatRequest,
  body: JsonObject,
  accepts: EncodeContext['accepts'],
): JsonObject {
  const named = ['max_tokens', 'max_completion_tokens'].filter((name) => body[name] != null);
  if (named.length === 0) return encodeLimit(request, accepts);
  return Object.fromEntries(named.map((name) => [name, request.max_tokens]));
}

function conversationOf(
  request: ChatRequest,
  clientRequest: ClientRequest,
  encodeContext: EncodeContext,
): readonly JsonObject[] {
  const before = objectsOf(clientRequest.body.messages);
  const unchanged = request.system === clientRequest.request.system;
  const head = unchanged
    ? before.slice(0, leadingInstructions(before))
    : restoreSystem(request.system, encodeContext);
  return [...head, ...request.messages.flatMap((message) => restoreMessage(message, encodeContext))];
}

function restoreSystem(system: ChatRequest['system'], encodeContext: EncodeContext): readonly JsonObject[] {
  const originals = typeof system === 'object' ? originalsOf(system) : undefined;
  return originals ?? encodeSystem(system, encodeContext);
}

function restoreMessage(message: Message, encodeContext: EncodeContext): readonly JsonObject[] {
  return originalsOf(message) ?? encodeMessage(message, encodeContext);
}
