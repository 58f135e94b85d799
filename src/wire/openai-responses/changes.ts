import type { JsonObject } from '../../kernel/json.ts';
import type { ChatRequest, Message } from '../../kernel/message.ts';
import type { Received } from '../../kernel/received.ts';
import { changedFields } from '../changed-fields.ts';
import { ownFields } from '../foreign.ts';
import { originalsOf } from '../openai/origin.ts';
import { defined, objectOf } from '../read.ts';
import { leadingInstructions } from './decode-items.ts';
import { choiceOf, encodeFormat, restoreTools } from './encode-fields.ts';
import { type Encoding, encodeMessage } from './encode-items.ts';
import { inputItemsOf } from './history.ts';
import { asCalled } from './namespaces.ts';

/** What to write over the client's own body: only fields that are not what was read from it. */
export function changesOf(request: ChatRequest, received: Received, encoding: Encoding): JsonObject {
  const changes: Record<string, unknown> = {};
  for (const field of changedFields(request, received.request))
    Object.assign(changes, changeOf(field, { request, received, encoding }));
  return changes;
}

interface Change {
  readonly request: ChatRequest;
  readonly received: Received;
  readonly encoding: Encoding;
}

function changeOf(field: string, change: Change): JsonObject {
  const { request, received, encoding } = change;
  switch (field) {
    case 'system':
      return { instructions: instructionsOf(request), input: itemsOf(change) };
    case 'messages':
      return { input: itemsOf(change) };
    case 'max_tokens':
      return { max_output_tokens: request.max_tokens };
    case 'tools':
      return { tools: restoreTools(request.tools, received.request.tools, encoding.dropped) };
    case 'tool_choice':
      return {
        tool_choice: undefined,
        parallel_tool_calls: undefined,
        ...choiceOf(request.tool_choice),
      };
    case 'metadata': {
      const name = received.body.safety_identifier === undefined ? 'user' : 'safety_identifier';
      return { [name]: request.metadata?.user_id ?? undefined };
    }
    case 'output_config':
      return {
        reasoning: replaced(received.body.reasoning, { effort: request.output_config?.effort ?? undefined }),
        text: replaced(received.body.text, { format: encodeFormat(request) }),
      };
    case 'extensions':
      return extensionChanges(request, received);
    case 'model':
    case 'stream':
    case 'temperature':
    case 'top_p':
      return { [field]: request[field] };
    default:
      encoding.dropped.add(field);
      return {};
  }
}

function instructionsOf({ system }: ChatRequest): string | undefined {
  return system === undefined || typeof system === 'string'
    ? system
    : system.map((block) => block.text).join('\n\n');
}

function itemsOf({ request, received, encoding }: Change): readonly JsonObject[] {
  const before = inputItemsOf(received.body);
  const head = request.system === received.request.system ? before.slice(0, leadingInstructions(before)) : [];
  const items = request.messages.flatMap((message) => restored(message, encoding));
  return [...head, ...asCalled(items, deferredAlone(request, received))];
}

/** The tools that are to be loaded later, each by itself. */
function deferredAlone({ tools = [] }: ChatRequest, { request }: Received): ReadonlySet<unknown> {
  const names = new Set<unknown>(tools.filter((tool) => tool.defer_loading === true).map(({ name }) => name));
  if (names.size === 0) return names;
  for (const tool of request.tools ?? [])
    if (originalsOf(tool)?.some(({ type }) => type === 'namespace')) names.delete(tool.name);
  return names;
}

function restored(message: Message, encoding: Encoding): readonly JsonObject[] {
  return originalsOf(message) ?? encodeMessage(message, encoding);
}

function replaced(before: unknown, fields: JsonObject): JsonObject | undefined {
  const all = defined({ ...objectOf(before), ...fields });
  return Object.keys(all).length === 0 ? undefined : all;
}

/** Only top-level fields; what reasoning and text hold besides stays with the client's own. */
function extensionChanges(request: ChatRequest, received: Received): JsonObject {
  const { reasoning: _, text: __, ...before } = ownFields(received.request, 'openai-responses');
  const { reasoning: ___, text: ____, ...now } = ownFields(request, 'openai-responses');
  return { ...Object.fromEntries(Object.keys(before).map((field) => [field, undefined])), ...now };
}
