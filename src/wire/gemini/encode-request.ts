import { type Acceptance, fullAcceptance } from '../../kernel/acceptance.ts';
import type { ClientRequest } from '../../kernel/client-request.ts';
import { patchJson } from '../../kernel/json/patch-json.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import type { EncodedRequest } from '../../kernel/wire-format.ts';
import type { JsonObject } from '../../lib/json.ts';
import { availableToolChoice, omitUnsupportedFields } from '../accepted-fields.ts';
import { withAcceptedFormat } from '../accepted-format.ts';
import { sanitizeFieldNames } from '../dropped-fields.ts';
import { droppedExtensionFields, unsupportedFields } from '../foreign.ts';
import { omitUndefined } from '../json-values.ts';
import { prepareTranslation } from '../prepare-translation.ts';
import { changesOf } from './changes.ts';
import { createFunctionNameLookup, encodeContents, encodeSystem } from './encode-contents.ts';
import {
  encodeChoice,
  encodeFormat,
  encodeStops,
  encodeThinking,
  encodeTools,
  functionNamesOf,
} from './encode-fields.ts';
import type { EncodeContext } from './encode-parts.ts';
import { capabilitiesOf } from './model-capabilities.ts';

export function encodeRequest(
  request: ChatRequest,
  clientRequest?: ClientRequest,
  accepts: Acceptance = fullAcceptance,
): EncodedRequest {
  const { model } = request;
  const dropped = new Set<string>();
  const encodeContext: EncodeContext = {
    model,
    generation: capabilitiesOf(model),
    functionNameOf: createFunctionNameLookup(request.messages),
    dropped,
  };
  if (clientRequest !== undefined) {
    const body = patchJson(clientRequest.fields, changesOf(request, clientRequest, encodeContext));
    return { body, dropped: sanitizeFieldNames(dropped) };
  }
  const plain = prepareTranslation(request, 'gemini');
  const body = Buffer.from(JSON.stringify(translate(plain, accepts, encodeContext)));
  return { body, dropped: sanitizeFieldNames(dropped) };
}

function translate(original: ChatRequest, accepts: Acceptance, encodeContext: EncodeContext): JsonObject {
  const { dropped, generation: modelCapabilities } = encodeContext;
  for (const field of droppedExtensionFields(original, 'gemini')) dropped.add(field);
  for (const field of unsupportedFields(original, ['top_k', 'stop_sequences', 'thinking.display']))
    dropped.add(field);
  if (original.metadata?.user_id != null) dropped.add('metadata.user_id');
  const tools = encodeTools(original.tools, dropped);
  const choice = availableToolChoice(original.tool_choice, functionNamesOf(tools), dropped);
  const thinkingConfig = encodeThinking(original, encodeContext, accepts);
  const formats = tools === undefined || modelCapabilities.allowsFormatWithTools ? accepts.formats : [];
  const shaped = withAcceptedFormat(original, { ...accepts, formats }, dropped);
  const thinks = thinkingConfig !== undefined && thinkingConfig.thinkingBudget !== 0;
  const request = omitUnsupportedFields(shaped, accepts, { thinks, dropped });
  const generationConfig = omitUndefined({
    maxOutputTokens: request.max_tokens ?? undefined,
    temperature: request.temperature ?? undefined,
    topP: request.top_p ?? undefined,
    topK: request.top_k ?? undefined,
    stopSequences: encodeStops(request.stop_sequences, dropped),
    thinkingConfig,
    ...encodeFormat(request),
  });
  return omitUndefined({
    ...conversationOf(request, encodeContext),
    tools,
    toolConfig: encodeChoice(choice, dropped),
    generationConfig: Object.keys(generationConfig).length === 0 ? undefined : generationConfig,
  });
}

/** A conversation must have a first turn; for some models the system prompt goes into it. */
function conversationOf(request: ChatRequest, encodeContext: EncodeContext): JsonObject {
  const systemInstruction = encodeSystem(request.system, encodeContext);
  const contents = encodeContents(request.messages, encodeContext);
  if (contents.length === 0)
    return { contents: [{ role: 'user', ...(systemInstruction ?? { parts: [{ text: '' }] }) }] };
  if (systemInstruction === undefined) return { contents };
  if (encodeContext.generation.allowsSystemInstruction) return { systemInstruction, contents };
  return {
    contents: encodeContents(
      [{ role: 'user', content: request.system ?? '' }, ...request.messages],
      encodeContext,
    ),
  };
}
