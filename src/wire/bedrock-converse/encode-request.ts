import { type Acceptance, fullAcceptance } from '../../kernel/acceptance.ts';
import type { ClientRequest } from '../../kernel/client-request.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import type { EncodedRequest } from '../../kernel/wire-format.ts';
import type { JsonObject } from '../../lib/json.ts';
import { omitUnsupportedFields } from '../accepted-fields.ts';
import { withAcceptedFormat } from '../accepted-format.ts';
import { sanitizeFieldNames } from '../dropped-fields.ts';
import { effortOf, isReasoningEnabled } from '../effort.ts';
import { droppedExtensionFields, unsupportedFields } from '../foreign.ts';
import { omitUndefined } from '../json-values.ts';
import { prepareTranslation } from '../prepare-translation.ts';
import { createToolCallIdMapper } from '../tool-call-ids.ts';
import { createEncodeContext, type EncodeContext } from './encode-context.ts';
import { encodeMessages, encodeSystem } from './encode-messages.ts';
import { encodeTools } from './encode-tools.ts';

export function encodeRequest(
  received: ChatRequest,
  _clientRequest?: ClientRequest,
  accepts: Acceptance = fullAcceptance,
): EncodedRequest {
  const original = prepareTranslation(received, 'bedrock-converse');
  const dropped = new Set<string>();
  const effort = effortOf(original, accepts.efforts, dropped);
  const shaped = withAcceptedFormat(original, accepts, dropped);
  const request = omitUnsupportedFields(shaped, accepts, { thinks: isReasoningEnabled(effort), dropped });
  for (const field of droppedExtensionFields(request, 'bedrock-converse')) dropped.add(field);
  for (const field of unsupportedFields(request, ['stop_sequences'])) dropped.add(field);
  const encodeContext = createEncodeContext(
    request.model,
    createToolCallIdMapper(request.messages, accepts.callIds),
    dropped,
  );
  const { max_tokens: maxTokens, temperature, top_p: topP, stop_sequences: stopSequences } = request;
  const limits = omitUndefined({ maxTokens, temperature, topP, stopSequences });
  const body: JsonObject = omitUndefined({
    ...conversationOf(request, encodeContext),
    inferenceConfig: Object.keys(limits).length > 0 ? limits : undefined,
    toolConfig: encodeTools(request, encodeContext),
    additionalModelRequestFields: effortFields(request.model, effort),
  });
  return { body: Buffer.from(JSON.stringify(body)), dropped: sanitizeFieldNames(dropped) };
}

/** A conversation must start with a user turn: without one, the system prompt becomes it. */
function conversationOf(request: ChatRequest, encodeContext: EncodeContext) {
  const messages = encodeMessages(request.messages, encodeContext);
  const system = encodeSystem(request.system, encodeContext);
  if (messages[0]?.role === 'user') return { messages, system };
  return { messages: [{ role: 'user', content: system ?? [{ text: '(empty)' }] }, ...messages] };
}

/** Every maker has its own field for effort. */
function effortFields(model: string, effort: string | undefined): JsonObject | undefined {
  if (effort === undefined) return undefined;
  if (!/nova/.test(model)) return { reasoning_effort: effort };
  return effort === 'none'
    ? { reasoningConfig: { type: 'disabled' } }
    : { reasoningConfig: { type: 'enabled', maxReasoningEffort: effort } };
}
