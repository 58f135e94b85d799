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
import { createFunctionNameLookup } from '../gemini/encode-contents.ts';
import { encodeStops } from '../gemini/encode-fields.ts';
import { omitUndefined } from '../json-values.ts';
import { prepareTranslation } from '../prepare-translation.ts';
import { changesOf } from './changes.ts';
import { encodeChoice, encodeSystem, encodeThinking, encodeTools, functionNamesOf } from './encode-fields.ts';
import { type EncodeContext, encodeSteps } from './encode-steps.ts';
import { encodeFormat } from './response-format.ts';

export function encodeRequest(
  request: ChatRequest,
  clientRequest?: ClientRequest,
  accepts: Acceptance = fullAcceptance,
): EncodedRequest {
  const dropped = new Set<string>();
  const encodeContext: EncodeContext = {
    model: request.model,
    functionNameOf: createFunctionNameLookup(request.messages),
    dropped,
  };
  if (clientRequest !== undefined) {
    const body = patchJson(clientRequest.fields, changesOf(request, clientRequest, encodeContext));
    return { body, dropped: sanitizeFieldNames(dropped) };
  }
  const plain = prepareTranslation(request, 'gemini-interactions');
  const body = Buffer.from(JSON.stringify(translate(plain, accepts, encodeContext)));
  return { body, dropped: sanitizeFieldNames(dropped) };
}

function translate(original: ChatRequest, accepts: Acceptance, encodeContext: EncodeContext): JsonObject {
  const { dropped } = encodeContext;
  for (const field of droppedExtensionFields(original, 'gemini-interactions')) dropped.add(field);
  for (const field of unsupportedFields(original, ['stop_sequences'])) dropped.add(field);
  if (original.metadata?.user_id != null) dropped.add('metadata.user_id');
  const tools = encodeTools(original.tools, dropped);
  const choice = availableToolChoice(original.tool_choice, functionNamesOf(tools), dropped);
  const thinking = encodeThinking(original, accepts, dropped);
  const shaped = withAcceptedFormat(original, accepts, dropped);
  const request = omitUnsupportedFields(shaped, accepts, {
    thinks: thinking.thinking_summaries !== undefined,
    dropped,
  });
  const generation_config = omitUndefined({
    max_output_tokens: request.max_tokens ?? undefined,
    temperature: request.temperature ?? undefined,
    top_p: request.top_p ?? undefined,
    stop_sequences: encodeStops(request.stop_sequences, dropped),
    tool_choice: encodeChoice(choice, dropped),
    ...thinking,
  });
  const input = encodeSteps(request.messages, encodeContext);
  return omitUndefined({
    model: request.model,
    system_instruction: encodeSystem(request.system, dropped),
    input: input.length === 0 ? '' : input,
    tools,
    response_format: encodeFormat(request),
    generation_config: Object.keys(generation_config).length === 0 ? undefined : generation_config,
    stream: request.stream === true ? true : undefined,
    // Google would keep the conversation, which clients of other formats didn't ask for.
    store: false,
  });
}
