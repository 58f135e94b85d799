import type { ClientRequest } from '../../kernel/client-request.ts';
import type { ChatRequest, Message } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { changedFields } from '../changed-fields.ts';
import { extensionBodyFields } from '../foreign.ts';
import { objectOf, omitUndefined } from '../json-values.ts';
import { originalsOf } from '../originals.ts';
import { leadingInstructions } from './decode-items.ts';
import { encodeFormat, restoreTools, toolChoiceFields } from './encode-fields.ts';
import { type EncodeContext, encodeMessage } from './encode-items.ts';
import { inputItemsOf } from './input-items.ts';
import { restoreSearchNamespaces } from './namespaces.ts';

/** The changes to the client's own body: only fields that differ from those decoded. */
export function changesOf(
  request: ChatRequest,
  clientRequest: ClientRequest,
  encodeContext: EncodeContext,
): JsonObject {
  const changes: Record<string, unknown> = {};
  for (const field of changedFields(request, clientRequest.request))
    Object.assign(changes, changeOf(field, { request, received: clientRequest, encoding: encodeContext }));
  return changes;
}

interface Change {
  readonly request: ChatRequest;
  readonly received: ClientRequest;
  readonly encoding: EncodeContext;
}

function changeOf(field: string, change: Change): JsonObject {
  const { request, received: clientRequest, encoding: encodeContext } = change;
  switch (field) {
    case 'system':
      return { instructions: instructionsOf(request), input: encodeInput(change) };
    case 'messages':
      return { input: encodeInput(change) };
    case 'max_tokens':
      return { max_output_tokens: request.max_tokens };
    case 'tools':
      return { tools: restoreTools(request.tools, clientRequest.request.tools, encodeContext.dropped) };
    case 'tool_choice':
      return {
        tool_choice: undefined,
        parallel_tool_calls: undefined,
        ...toolChoiceFields(request.tool_choice),
      };
    case 'metadata': {
      const name = clientRequest.body.safety_identifier === undefined ? 'user' : 'safety_identifier';
      return { [name]: request.metadata?.user_id ?? undefined };
    }
    case 'output_config':
      return {
        reasoning: mergeDefined(clientRequest.body.reasoning, {
          effort: request.output_config?.effort ?? undefined,
        }),
        text: mergeDefined(clientRequest.body.text, { format: encodeFormat(request) }),
      };
    case 'extensions':
      return extensionChanges(request, clientRequest);
    case 'model':
    case 'stream':
    case 'temperature':
    case 'top_p':
      return { [field]: request[field] };
    default:
      encodeContext.dropped.add(field);
      return {};
  }
}

function instructionsOf({ system }: ChatRequest): string | undefined {
  return system === undefined || typeof system === 'string'
    ? system
    : system.map((block) => block.text).join('\n\n');
}

function encodeInput({
  request,
  received: clientRequest,
  encoding: encodeContext,
}: Change): readonly JsonObject[] {
  const before = inputItemsOf(clientRequest.body);
  const head =
    request.system === clientRequest.request.system ? before.slice(0, leadingInstructions(before)) : [];
  const items = request.messages
    .flatMap((message) => restoreMessage(message, encodeContext))
    .filter((item) => encodeContext.takesPlainReasoning || !isBareReasoning(item));
  return [...head, ...restoreSearchNamespaces(items, deferredToolNames(request, clientRequest))];
}

/** The names of the tools with deferred loading. */
function deferredToolNames({ tools = [] }: ChatRequest, { request }: ClientRequest): ReadonlySet<unknown> {
  const names = new Set<unknown>(tools.filter((tool) => tool.defer_loading === true).map(({ name }) => name));
  if (names.size === 0) return names;
  for (const tool of request.tools ?? [])
    if (originalsOf(tool)?.some(({ type }) => type === 'namespace')) names.delete(tool.name);
  return names;
}

function restoreMessage(message: Message, encodeContext: EncodeContext): readonly JsonObject[] {
  return originalsOf(message) ?? encodeMessage(message, encodeContext);
}

/** Reasoning that its provider can't find: it was written out from a stored answer without its encrypted content. */
function isBareReasoning({ type, id, encrypted_content }: JsonObject): boolean {
  return type === 'reasoning' && id === undefined && encrypted_content === undefined;
}

function mergeDefined(before: unknown, fields: JsonObject): JsonObject | undefined {
  const all = omitUndefined({ ...objectOf(before), ...fields });
  return Object.keys(all).length === 0 ? undefined : all;
}

/** Only top-level fields; other fields inside reasoning and text stay as the client sent them. */
function extensionChanges(request: ChatRequest, clientRequest: ClientRequest): JsonObject {
  const {
    reasoning: _,
    text: __,
    ...before
  } = extensionBodyFields(clientRequest.request, 'openai-responses');
  const { reasoning: ___, text: ____, ...now } = extensionBodyFields(request, 'openai-responses');
  return { ...Object.fromEntries(Object.keys(before).map((field) => [field, undefined])), ...now };
}
