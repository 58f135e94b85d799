import { type Acceptance, fullAcceptance } from '../../kernel/acceptance.ts';
import type { ClientRequest } from '../../kernel/client-request.ts';
import { patchJson } from '../../kernel/json/patch-json.ts';
import type { ChatRequest, OutputConfig, Tool, ToolChoice } from '../../kernel/message.ts';
import type { EncodedRequest } from '../../kernel/wire-format.ts';
import { availableToolChoice, omitUnsupportedFields } from '../accepted-fields.ts';
import { withAcceptedFormat } from '../accepted-format.ts';
import { changedFields } from '../changed-fields.ts';
import { invalidRequestError } from '../check-messages.ts';
import { checkRequestShape } from '../check-request-shape.ts';
import { checkTranslatableContent } from '../check-translatable-content.ts';
import { sanitizeFieldNames } from '../dropped-fields.ts';
import { droppedExtensionFields, foreignPartOf } from '../foreign.ts';
import { objectOf, omitUndefined, stringOf } from '../json-values.ts';
import { acceptedServiceTier } from '../service-tier.ts';
import { rulesOfVersion, withAcceptedContent } from './api-versions.ts';
import { encodeMessages, isBlank } from './encode-messages.ts';
import { toEnforceableSchema } from './enforceable-schema.ts';
import { capabilitiesOf, type ModelCapabilities } from './model-capabilities.ts';
import { stripForeignContent } from './strip-foreign.ts';
import { thinkingSettingsOf } from './thinking.ts';

export function encodeRequest(
  request: ChatRequest,
  clientRequest?: ClientRequest,
  accepts: Acceptance = fullAcceptance,
): EncodedRequest {
  return clientRequest === undefined ? translate(request, accepts) : patchBody(request, clientRequest);
}

/** Writes the changed fields, without what the client's version of the API rejects. */
function patchBody(request: ChatRequest, clientRequest: ClientRequest): EncodedRequest {
  const dropped = new Set<string>();
  const rules = rulesOfVersion(clientRequest.header('anthropic-version'));
  const now: Record<string, unknown> = { ...request };
  const changed = new Set(changedFields(request, clientRequest.request));
  if (changed.has('messages'))
    now.messages = stripForeignContent(withAcceptedContent(request.messages, rules, dropped));
  // The client may have written the fields for another provider's model.
  const isRerouted = request.model !== clientRequest.routing.model;
  for (const field of rules.rejects) {
    if (request[field] == null || !(isRerouted || changed.has(field))) continue;
    dropped.add(field);
    changed.add(field);
    now[field] = undefined;
  }
  const changes = Object.fromEntries([...changed].map((field) => [field, now[field]]));
  return { body: patchJson(clientRequest.fields, changes), dropped: sanitizeFieldNames(dropped) };
}

/** Encodes a request that came in another format or was created by the gateway. */
function translate(original: ChatRequest, accepts: Acceptance): EncodedRequest {
  checkRequestShape(original);
  checkTranslatableContent(original, 'anthropic-messages');
  const dropped = new Set(droppedExtensionFields(original, 'anthropic-messages'));
  const formatted = withAcceptedFormat(original, accepts, dropped);
  const modelCapabilities = capabilitiesOf(formatted.model);
  const conversation = conversationOf(formatted, modelCapabilities, dropped);
  const { thinking, effort, max_tokens } = thinkingSettingsOf(
    { ...formatted, messages: conversation.messages },
    modelCapabilities,
    dropped,
  );
  const thinks = thinking != null && thinking.type !== 'disabled';
  const samples = modelCapabilities.allowsSampling && !thinks;
  const rules = rulesOfVersion();
  const rejects = [...accepts.rejects, ...rules.rejects];
  const request = samples
    ? omitUnsupportedFields(formatted, { ...accepts, rejects }, { thinks, dropped })
    : formatted;
  const tier = acceptedServiceTier(request, accepts.serviceTiers, dropped);
  const tools = toolsOf(request, dropped);
  const body = {
    ...request,
    ...conversation,
    messages: withAcceptedContent(conversation.messages, rules, dropped),
    service_tier: tier === 'default' ? 'standard_only' : tier,
    ...samplingOf(request, samples, dropped),
    tools,
    tool_choice: toolChoiceOf(request.tool_choice, tools, modelCapabilities, dropped),
    stop_sequences: stopSequencesOf(request, dropped),
    thinking,
    output_config: outputConfigOf(request.output_config, effort, dropped),
    max_tokens,
    extensions: undefined,
  };
  return { body: Buffer.from(JSON.stringify(omitUndefined(body))), dropped: sanitizeFieldNames(dropped) };
}

/** A model that can't be forced to use a tool may still use one. */
function toolChoiceOf(
  wanted: ToolChoice | undefined,
  tools: readonly Tool[] | undefined,
  { allowsForcedTools }: ModelCapabilities,
  dropped: Set<string>,
): ToolChoice | undefined {
  const names = (tools ?? []).map(({ name }) => name);
  const choice = availableToolChoice(wanted, names, dropped);
  if (allowsForcedTools || (choice?.type !== 'any' && choice?.type !== 'tool')) return choice;
  dropped.add('tool_choice');
  return omitUndefined({ type: 'auto', disable_parallel_tool_use: choice.disable_parallel_tool_use });
}

/** A conversation must have a first turn: without messages, the system prompt becomes it. */
function conversationOf(request: ChatRequest, modelCapabilities: ModelCapabilities, dropped: Set<string>) {
  const system = instructionsOf(request);
  const messages = encodeMessages(request.messages, modelCapabilities, dropped);
  if (messages.length > 0) return { system, messages };
  if (system === undefined) throw invalidRequestError('messages', 'at least one message must have content');
  return { system: undefined, messages: [{ role: 'user', content: system } as const] };
}

/** Omits blank texts, which the provider rejects; it validates other block types itself. */
function instructionsOf({ system }: ChatRequest): ChatRequest['system'] {
  if (typeof system === 'string') return isBlank(system) ? undefined : system;
  const blocks = system?.filter(({ text }) => stringOf(text) === undefined || !isBlank(text));
  return blocks?.length === 0 ? undefined : blocks;
}

/** Omits name and strictness: this format enforces every schema. */
function outputConfigOf(config: OutputConfig | undefined, effort: string | undefined, dropped: Set<string>) {
  const { format, effort: _, ...rest } = config ?? {};
  if (format != null && format.type !== 'json_schema') dropped.add('output_config.format');
  const schema = format?.type === 'json_schema' ? toEnforceableSchema(format.schema ?? {}) : undefined;
  const fields = omitUndefined({
    ...rest,
    effort,
    format: schema === undefined ? undefined : { type: 'json_schema', schema },
  });
  return Object.keys(fields).length > 0 ? fields : undefined;
}

function toolsOf(request: ChatRequest, dropped: Set<string>): ChatRequest['tools'] {
  const tools = request.tools?.flatMap((tool): readonly Tool[] => {
    const foreignPart = foreignPartOf(tool);
    if (foreignPart !== undefined) dropped.add(`tools[].${foreignPart.kind}`);
    if (foreignPart !== undefined) return [];
    const input_schema = tool.strict === true ? objectOf(toEnforceableSchema(tool.input_schema)) : undefined;
    return [input_schema === undefined ? tool : { ...tool, input_schema }];
  });
  return tools?.length === 0 ? undefined : tools;
}

/** The provider rejects stop sequences of white space. */
function stopSequencesOf({ stop_sequences: all }: ChatRequest, dropped: Set<string>) {
  const accepted = all?.filter((text) => typeof text !== 'string' || !isBlank(text));
  if (accepted?.length !== all?.length) dropped.add('stop_sequences');
  return accepted?.length === 0 ? undefined : accepted;
}

/** Temperature ends at 1 here, in other formats at 2; some models accept no sampling parameters at all. */
function samplingOf(request: ChatRequest, allowed: boolean, dropped: Set<string>) {
  const { temperature, top_p, top_k } = request;
  if (allowed) {
    if (temperature !== undefined && temperature > 1) dropped.add('temperature');
    return { temperature: temperature == null ? undefined : Math.min(temperature, 1) };
  }
  for (const [field, value] of Object.entries({ temperature, top_p, top_k }))
    if (value !== undefined && !(field !== 'top_k' && value === 1)) dropped.add(field);
  return { temperature: undefined, top_p: undefined, top_k: undefined };
}
