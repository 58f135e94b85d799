import type { ClientRequest } from '../../kernel/client-request.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { changedFields } from '../changed-fields.ts';
import { objectOf, omitUndefined } from '../json-values.ts';
import { originalsOf } from '../originals.ts';
import { encodeChoice, encodeSystem, encodeTools } from './encode-fields.ts';
import { type EncodeContext, encodeMessage } from './encode-steps.ts';
import { changedExtensionFields, generationConfigFields } from './extension-fields.ts';
import { modelOrAgent } from './model-or-agent.ts';
import { encodeFormat } from './response-format.ts';

/** The changes to the client's own body: only fields that differ from those decoded. */
export function changesOf(
  request: ChatRequest,
  clientRequest: ClientRequest,
  encodeContext: EncodeContext,
): JsonObject {
  const { body } = clientRequest;
  const { dropped } = encodeContext;
  const changed = new Set(changedFields(request, clientRequest.request));
  const changes: Record<string, unknown> = {};
  if (changed.has('extensions'))
    Object.assign(changes, changedExtensionFields(request, clientRequest.request));
  if (changed.has('model'))
    Object.assign(changes, modelOrAgent.modelFields(request.model, clientRequest.fields));
  if (changed.has('stream')) changes.stream = request.stream;
  if (changed.has('system')) changes.system_instruction = encodeSystem(request.system, dropped);
  if (changed.has('messages'))
    changes.input = request.messages.flatMap(
      (message) => originalsOf(message) ?? encodeMessage(message, encodeContext),
    );
  if (changed.has('tools')) changes.tools = encodeTools(request.tools, dropped, true);
  if (changed.has('output_config'))
    Object.assign(changes, { response_mime_type: undefined, response_format: encodeFormat(request) });
  if ([...changed].some((name) => configFields.has(name)))
    changes.generation_config = configOf(request, changed, { body, dropped });
  for (const name of changed) if (!handledFields.has(name)) dropped.add(name);
  return changes;
}

/** The client's own config with the changed fields. */
function configOf(
  request: ChatRequest,
  changed: ReadonlySet<string>,
  { body, dropped }: { readonly body: JsonObject; readonly dropped: Set<string> },
): JsonObject | undefined {
  const config: Record<string, unknown> = { ...objectOf(body.generation_config) };
  for (const [name, own] of generationConfigFields)
    if (changed.has(name)) config[own] = request[name] ?? undefined;
  if (changed.has('tool_choice')) config.tool_choice = encodeChoice(request.tool_choice, dropped);
  if (changed.has('output_config')) config.thinking_level = request.output_config?.effort ?? undefined;
  const defined = omitUndefined(config);
  return Object.keys(defined).length === 0 ? undefined : defined;
}

const configFields: ReadonlySet<string> = new Set([
  ...generationConfigFields.map(([name]) => name),
  'tool_choice',
  'output_config',
]);

const handledFields: ReadonlySet<string> = new Set([
  ...configFields,
  'model',
  'stream',
  'system',
  'messages',
  'tools',
  'extensions',
]);
