import type { JsonObject } from '../../kernel/json.ts';
import type { ChatRequest, Message } from '../../kernel/message.ts';
import type { Received } from '../../kernel/received.ts';
import { changedFields } from '../changed-fields.ts';
import { originalsOf } from '../openai/origin.ts';
import { defined, objectOf } from '../read.ts';
import { encodeMessage, encodeSystem } from './encode-contents.ts';
import { encodeChoice, encodeFormat, encodeTools } from './encode-fields.ts';
import type { Encoding } from './encode-parts.ts';
import { field, nameIn } from './fields.ts';
import { modelFields, ownBody } from './own-fields.ts';

/** What to write over the client's own body: only fields that are not what was read from it. */
export function changesOf(request: ChatRequest, received: Received, encoding: Encoding): JsonObject {
  const changed = new Set(changedFields(request, received.request));
  const { body } = received;
  const changes: Record<string, unknown> = {};
  const write = (name: string, value: unknown) => {
    changes[nameIn(body, name)] = value;
  };
  if (changed.has('system')) write('systemInstruction', encodeSystem(request.system, encoding));
  if (changed.has('messages')) write('contents', contentsOf(request, encoding));
  if (changed.has('tools')) write('tools', encodeTools(request.tools, encoding.dropped, true));
  if (changed.has('extensions'))
    for (const [name, value] of Object.entries(ownBody(request, received.request))) write(name, value);
  if (changed.has('tool_choice')) write('toolConfig', toolConfigOf(request, body, encoding));
  if ([...changed].some((name) => inConfig.has(name)))
    write('generationConfig', configOf(request, changed, objectOf(field(body, 'generationConfig')) ?? {}));
  for (const name of changed) if (!known.has(name)) encoding.dropped.add(name);
  return changes;
}

function contentsOf({ messages }: ChatRequest, encoding: Encoding): readonly JsonObject[] {
  return messages.flatMap((message) => originalsOf(message) ?? contentOf(message, encoding));
}

function contentOf(message: Message, encoding: Encoding): readonly JsonObject[] {
  const parts = encodeMessage(message, encoding);
  return parts.length === 0 ? [] : [{ role: message.role === 'assistant' ? 'model' : 'user', parts }];
}

function toolConfigOf(request: ChatRequest, body: JsonObject, { dropped }: Encoding): JsonObject | undefined {
  const before = objectOf(field(body, 'toolConfig')) ?? {};
  const { [nameIn(before, 'functionCallingConfig')]: _, ...rest } = before;
  const config = { ...rest, ...encodeChoice(request.tool_choice, dropped) };
  return Object.keys(config).length === 0 ? undefined : config;
}

/** The client's own but for what changed. */
function configOf(request: ChatRequest, changed: ReadonlySet<string>, before: JsonObject): JsonObject {
  const config: Record<string, unknown> = { ...before };
  for (const [name, own] of modelFields)
    if (changed.has(name)) config[nameIn(before, own)] = request[name] ?? undefined;
  if (changed.has('output_config')) {
    for (const name of ['responseMimeType', 'responseSchema', 'responseJsonSchema'])
      delete config[nameIn(before, name)];
    Object.assign(config, encodeFormat(request));
  }
  return defined(config);
}

const inConfig: ReadonlySet<string> = new Set([...modelFields.map(([name]) => name), 'output_config']);

const known: ReadonlySet<string> = new Set([
  ...inConfig,
  'model',
  'stream',
  'system',
  'messages',
  'tools',
  'tool_choice',
  'extensions',
]);
