import type { ClientRequest } from '../../kernel/client-request.ts';
import type { ChatRequest, Message } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { changedFields } from '../changed-fields.ts';
import { objectOf, omitUndefined } from '../json-values.ts';
import { originalsOf } from '../originals.ts';
import { encodeMessage, encodeSystem } from './encode-contents.ts';
import { encodeChoice, encodeFormat, encodeTools } from './encode-fields.ts';
import type { EncodeContext } from './encode-parts.ts';
import { changedExtensionFields, generationConfigFields } from './extension-fields.ts';
import { fieldNameIn, readField } from './fields.ts';

/** The changes to the client's own body: only fields that differ from those decoded. */
export function changesOf(
  request: ChatRequest,
  clientRequest: ClientRequest,
  encodeContext: EncodeContext,
): JsonObject {
  const changed = new Set(changedFields(request, clientRequest.request));
  const { body } = clientRequest;
  const changes: Record<string, unknown> = {};
  const write = (name: string, value: unknown) => {
    changes[fieldNameIn(body, name)] = value;
  };
  if (changed.has('system')) write('systemInstruction', encodeSystem(request.system, encodeContext));
  if (changed.has('messages')) write('contents', contentsOf(request, encodeContext));
  if (changed.has('tools')) write('tools', encodeTools(request.tools, encodeContext.dropped, true));
  if (changed.has('extensions'))
    for (const [name, value] of Object.entries(changedExtensionFields(request, clientRequest.request)))
      write(name, value);
  if (changed.has('tool_choice')) write('toolConfig', toolConfigOf(request, body, encodeContext));
  if ([...changed].some((name) => configFields.has(name)))
    write(
      'generationConfig',
      configOf(request, changed, objectOf(readField(body, 'generationConfig')) ?? {}),
    );
  for (const name of changed) if (!handledFields.has(name)) encodeContext.dropped.add(name);
  return changes;
}

function contentsOf({ messages }: ChatRequest, encodeContext: EncodeContext): readonly JsonObject[] {
  return messages.flatMap((message) => originalsOf(message) ?? contentOf(message, encodeContext));
}

function contentOf(message: Message, encodeContext: EncodeContext): readonly JsonObject[] {
  const parts = encodeMessage(message, encodeContext);
  return parts.length === 0 ? [] : [{ role: message.role === 'assistant' ? 'model' : 'user', parts }];
}

function toolConfigOf(
  request: ChatRequest,
  body: JsonObject,
  { dropped }: EncodeContext,
): JsonObject | undefined {
  const before = objectOf(readField(body, 'toolConfig')) ?? {};
  const { [fieldNameIn(before, 'functionCallingConfig')]: _, ...rest } = before;
  const config = { ...rest, ...encodeChoice(request.tool_choice, dropped) };
  return Object.keys(config).length === 0 ? undefined : config;
}

/** The client's own config with the changed fields. */
function configOf(request: ChatRequest, changed: ReadonlySet<string>, before: JsonObject): JsonObject {
  const config: Record<string, unknown> = { ...before };
  for (const [name, own] of generationConfigFields)
    if (changed.has(name)) config[fieldNameIn(before, own)] = request[name] ?? undefined;
  if (changed.has('output_config')) {
    for (const name of ['responseMimeType', 'responseSchema', 'responseJsonSchema'])
      delete config[fieldNameIn(before, name)];
    Object.assign(config, encodeFormat(request));
  }
  return omitUndefined(config);
}

const configFields: ReadonlySet<string> = new Set([
  ...generationConfigFields.map(([name]) => name),
  'output_config',
]);

const handledFields: ReadonlySet<string> = new Set([
  ...configFields,
  'model',
  'stream',
  'system',
  'messages',
  'tools',
  'tool_choice',
  'extensions',
]);
