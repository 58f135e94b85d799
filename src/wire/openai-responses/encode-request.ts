import { type Acceptance, fullAcceptance } from '../../kernel/acceptance.ts';
import type { ClientRequest } from '../../kernel/client-request.ts';
import { patchJson } from '../../kernel/json/patch-json.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import type { EncodedRequest } from '../../kernel/wire-format.ts';
import type { JsonObject } from '../../lib/json.ts';
import { availableToolChoice, omitUnsupportedFields } from '../accepted-fields.ts';
import { withAcceptedFormat } from '../accepted-format.ts';
import { sanitizeFieldNames } from '../dropped-fields.ts';
import { effortOf, isReasoningEnabled } from '../effort.ts';
import { droppedExtensionFields, extensionBodyFields, unsupportedFields } from '../foreign.ts';
import { objectOf, omitUndefined } from '../json-values.ts';
import { toOpenaiUserId } from '../openai/user-id.ts';
import { prepareTranslation } from '../prepare-translation.ts';
import { acceptedServiceTier } from '../service-tier.ts';
import { createToolCallIdMapper } from '../tool-call-ids.ts';
import { changesOf } from './changes.ts';
import { encodeFormat, encodeLimit, encodeTools, toolChoiceFields, toolNamesOf } from './encode-fields.ts';
import { type EncodeContext, encodeMessage } from './encode-items.ts';

export function encodeRequest(
  request: ChatRequest,
  clientRequest?: ClientRequest,
  accepts: Acceptance = fullAcceptance,
): EncodedRequest {
  const encoding = {
    ...createEncodeContext(request.model, accepts),
    asked: { store: clientRequest?.fields.get('store') },
  };
  if (clientRequest !== undefined) {
    const body = patchJson(clientRequest.fields, changesOf(request, clientRequest, encoding));
    return { body, dropped: sanitizeFieldNames(encoding.dropped) };
  }
  const plain = prepareTranslation(request, 'openai-responses');
  return translate(plain, accepts, {
    ...encoding,
    keepsOriginals: false,
    mapToolCallId: createToolCallIdMapper(plain.messages, accepts.callIds),
  });
}

function translate(original: ChatRequest, accepts: Acceptance, encodeContext: EncodeContext): EncodedRequest {
  const { dropped } = encodeContext;
  const effort = effortOf(original, accepts.efforts, dropped);
  const shaped = withAcceptedFormat(original, accepts, dropped);
  const request = omitUnsupportedFields(shaped, accepts, { thinks: isReasoningEnabled(effort), dropped });
  for (const field of droppedExtensionFields(request, 'openai-responses')) dropped.add(field);
  for (const field of unsupportedFields(request)) dropped.add(field);
  const { model, messages, stream, temperature, top_p, metadata } = request;
  const tools = encodeTools(request.tools, dropped);
  const choice = availableToolChoice(request.tool_choice, toolNamesOf(tools), dropped);
  const { reasoning, text, ...own } = extensionBodyFields(request, 'openai-responses');
  const body: JsonObject = {
    model,
    ...omitUndefined({ instructions: instructionsOf(request, dropped) }),
    input: messages.flatMap((message) => encodeMessage(message, encodeContext)),
    ...omitUndefined({
      max_output_tokens: encodeLimit(request),
      temperature,
      top_p,
      tools,
    }),
    ...toolChoiceFields(choice),
    ...mergedField('reasoning', objectOf(reasoning), omitUndefined({ effort })),
    ...mergedField('text', objectOf(text), omitUndefined({ format: encodeFormat(request) })),
    ...omitUndefined({
      user: toOpenaiUserId(metadata?.user_id),
      service_tier: acceptedServiceTier(request, accepts.serviceTiers, dropped),
      stream: stream === true ? stream : undefined,
    }),
    ...statelessFields(model),
    ...own,
  };
  return { body: Buffer.from(JSON.stringify(body)), dropped: sanitizeFieldNames(dropped) };
}

function createEncodeContext(model: string, { thinkingField }: Acceptance): Omit<EncodeContext, 'asked'> {
  const takesPlainReasoning = thinkingField !== 'nowhere' && !openaiModelPattern.test(model);
  return { takesPlainReasoning, keepsOriginals: true, mapToolCallId: (id) => id, dropped: new Set() };
}

const openaiModelPattern = /^(gpt-(?!oss)|o\d|codex-|chatgpt-|ft:)/;

function instructionsOf({ system }: ChatRequest, dropped: Set<string>): string | undefined {
  if (system === undefined || typeof system === 'string') return system;
  if (system.some((block) => block.cache_control != null)) dropped.add('cache_control');
  return system.map((block) => block.text).join('\n\n');
}

function mergedField(field: string, own: JsonObject | undefined, changes: JsonObject): JsonObject {
  const all = { ...own, ...changes };
  return Object.keys(all).length === 0 ? {} : { [field]: all };
}

/** A client of another format sends the whole conversation each time: disables storage and requests encrypted reasoning. */
function statelessFields(model: string): JsonObject {
  const thinks = openaiModelPattern.test(model) && !/^(gpt-[34]|chatgpt-)/.test(model);
  return { store: false, ...(thinks && { include: ['reasoning.encrypted_content'] }) };
}
