import { type Acceptance, everything } from '../../kernel/acceptance.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import type { Received } from '../../kernel/received.ts';
import type { EncodedRequest } from '../../kernel/wire-format.ts';
import { withoutRefused } from '../accepted.ts';
import { withAcceptedFormat } from '../accepted-format.ts';
import { callIdsFor } from '../call-ids.ts';
import { checkCrossing } from '../check-crossing.ts';
import { checkTranslatable } from '../check-translatable.ts';
import { listOf } from '../dropped.ts';
import { fieldsLeftBehind, fieldsUnknownTo } from '../foreign.ts';
import { effortOf, thinksHard } from '../openai/effort.ts';
import { defined } from '../read.ts';
import { encodeMessages, encodeSystem } from './encode-messages.ts';
import { encodeTools } from './encode-tools.ts';
import { type Encoding, encodingFor } from './encoding.ts';

export function encodeRequest(
  asked: ChatRequest,
  _received?: Received,
  accepts: Acceptance = everything,
): EncodedRequest {
  checkTranslatable(asked);
  checkCrossing(asked, 'bedrock-converse');
  const dropped = new Set<string>();
  const effort = effortOf(asked, accepts.efforts, dropped);
  const shaped = withAcceptedFormat(asked, accepts, dropped);
  const request = withoutRefused(shaped, accepts, { thinks: thinksHard(effort), dropped });
  for (const field of fieldsLeftBehind(request, 'bedrock-converse')) dropped.add(field);
  for (const field of fieldsUnknownTo(request, ['stop_sequences'])) dropped.add(field);
  const encoding = encodingFor(request.model, callIdsFor(request.messages, accepts.callIds), dropped);
  const { max_tokens: maxTokens, temperature, top_p: topP, stop_sequences: stopSequences } = request;
  const limits = defined({ maxTokens, temperature, topP, stopSequences });
  const body: JsonObject = defined({
    ...conversationOf(request, encoding),
    inferenceConfig: Object.keys(limits).length > 0 ? limits : undefined,
    toolConfig: encodeTools(request, encoding),
    additionalModelRequestFields: effortFields(request.model, effort),
  });
  return { body: Buffer.from(JSON.stringify(body)), dropped: listOf(dropped) };
}

/** A conversation begins with the user: where nobody has said anything, the instructions do, as they did when they were alone. */
function conversationOf(request: ChatRequest, encoding: Encoding) {
  const messages = encodeMessages(request.messages, encoding);
  const system = encodeSystem(request.system, encoding);
  if (messages[0]?.role === 'user') return { messages, system };
  return { messages: [{ role: 'user', content: system ?? [{ text: '(empty)' }] }, ...messages] };
}

/** Every maker has a place of its own for how hard to think. */
function effortFields(model: string, effort: string | undefined): JsonObject | undefined {
  if (effort === undefined) return undefined;
  if (!/nova/.test(model)) return { reasoning_effort: effort };
  return effort === 'none'
    ? { reasoningConfig: { type: 'disabled' } }
    : { reasoningConfig: { type: 'enabled', maxReasoningEffort: effort } };
}
