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
import { omitUndefined } from '../json-values.ts';
import { toOpenaiUserId } from '../openai/user-id.ts';
import { prepareTranslation } from '../prepare-translation.ts';
import { acceptedServiceTier } from '../service-tier.ts';
import { createToolCallIdMapper } from '../tool-call-ids.ts';
import { changesOf } from './changes.ts';
import { encodeFormat, encodeLimit, encodeTools, toolChoiceFields, toolNamesOf } from './encode-fields.ts';
import { encodeMessage, encodeSystem } from './encode-messages.ts';
import { createEncodeContext, type EncodeContext } from './encode-parts.ts';
import { joinToolTurns } from './join-tool-turns.ts';

export function encodeRequest(
  request: ChatRequest,
  clientRequest?: ClientRequest,
  accepts: Acceptance = fullAcceptance,
): EncodedRequest {
  const { model } = request;
  const encodeContext = createEncodeContext(model, accepts);
  if (clientRequest !== undefined) {
    const body = patchJson(clientRequest.fields, changesOf(request, clientRequest, encodeContext));
    return { body, dropped: sanitizeFieldNames(encodeContext.dropped) };
  }
  const plain = prepareTranslation(request, 'openai-chat');
  return translate(plain, {
    ...encodeContext,
    keepsOriginals: false,
    mapToolCallId: createToolCallIdMapper(plain.messages, accepts.callIds),
  });
}

function translate(original: ChatRequest, encodeContext: EncodeContext): EncodedRequest {
  const { accepts, dropped } = encodeContext;
  const effort = effortOf(original, accepts.efforts, dropped);
  const shaped = withAcceptedFormat(original, accepts, dropped);
  const request = omitUnsupportedFields(shaped, accepts, { thinks: isReasoningEnabled(effort), dropped });
  for (const field of droppedExtensionFields(request, 'openai-chat')) encodeContext.dropped.add(field);
  for (const field of unsupportedFields(request, ['stop_sequences'])) encodeContext.dropped.add(field);
  const { model, system, messages, stream, temperature, top_p, stop_sequences: stop, metadata } = request;
  const tools = encodeTools(request.tools, encodeContext);
  const choice = availableToolChoice(request.tool_choice, toolNamesOf(tools), dropped);
  const body: JsonObject = {
    ...omitUndefined({ model }),
    messages: markPrefill(
      [
        ...encodeSystem(system, encodeContext),
        ...joinToolTurns(messages).flatMap((message) => encodeMessage(message, encodeContext)),
      ],
      accepts,
    ),
    ...encodeLimit(request, accepts),
    ...omitUndefined({
      temperature,
      top_p,
      stop,
      tools,
      user: toOpenaiUserId(metadata?.user_id),
      service_tier: acceptedServiceTier(request, accepts.serviceTiers, dropped),
    }),
    ...toolChoiceFields(choice),
    ...omitUndefined({ reasoning_effort: effort, response_format: encodeFormat(request) }),
    ...(stream === true && { stream }),
    ...extensionBodyFields(request, 'openai-chat'),
  };
  return { body: Buffer.from(JSON.stringify(body)), dropped: sanitizeFieldNames(encodeContext.dropped) };
}

/** A conversation that ends with an assistant message asks the model to continue it. */
function markPrefill(messages: readonly JsonObject[], { prefill }: Acceptance): readonly JsonObject[] {
  const last = messages.at(-1);
  if (prefill === 'plain' || last?.role !== 'assistant') return messages;
  return [...messages.slice(0, -1), { ...last, prefix: true }];
}
