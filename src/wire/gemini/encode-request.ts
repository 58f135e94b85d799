import { type Acceptance, everything } from '../../kernel/acceptance.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import { patchJson } from '../../kernel/patch-json.ts';
import type { Received } from '../../kernel/received.ts';
import type { EncodedRequest } from '../../kernel/wire-format.ts';
import { acceptedChoice, withoutRefused } from '../accepted.ts';
import { withAcceptedFormat } from '../accepted-format.ts';
import { checkCrossing } from '../check-crossing.ts';
import { checkTranslatable } from '../check-translatable.ts';
import { listOf } from '../dropped.ts';
import { fieldsLeftBehind, fieldsUnknownTo } from '../foreign.ts';
import { defined } from '../read.ts';
import { changesOf } from './changes.ts';
import { callNames, encodeContents, encodeSystem } from './encode-contents.ts';
import {
  encodeChoice,
  encodeFormat,
  encodeStops,
  encodeThinking,
  encodeTools,
  namesOf,
} from './encode-fields.ts';
import type { Encoding } from './encode-parts.ts';
import { generationOf } from './generation.ts';

export function encodeRequest(
  asked: ChatRequest,
  received?: Received,
  accepts: Acceptance = everything,
): EncodedRequest {
  const { model } = asked;
  const dropped = new Set<string>();
  const encoding: Encoding = {
    model,
    generation: generationOf(model),
    nameOf: callNames(asked.messages),
    dropped,
  };
  if (received !== undefined) {
    const body = patchJson(received.fields, changesOf(asked, received, encoding));
    return { body, dropped: listOf(dropped) };
  }
  checkTranslatable(asked);
  checkCrossing(asked, 'gemini');
  const body = Buffer.from(JSON.stringify(translate(asked, accepts, encoding)));
  return { body, dropped: listOf(dropped) };
}

function translate(asked: ChatRequest, accepts: Acceptance, encoding: Encoding): JsonObject {
  const { dropped, generation } = encoding;
  for (const field of fieldsLeftBehind(asked, 'gemini')) dropped.add(field);
  for (const field of fieldsUnknownTo(asked, ['top_k', 'stop_sequences'])) dropped.add(field);
  if (asked.metadata?.user_id != null) dropped.add('metadata.user_id');
  const tools = encodeTools(asked.tools, dropped);
  const choice = acceptedChoice(asked.tool_choice, namesOf(tools), dropped);
  const thinkingConfig = encodeThinking(asked, encoding, accepts);
  const formats = tools === undefined || generation.formatsWithTools ? accepts.formats : [];
  const shaped = withAcceptedFormat(asked, { ...accepts, formats }, dropped);
  const thinks = thinkingConfig !== undefined && thinkingConfig.thinkingBudget !== 0;
  const request = withoutRefused(shaped, accepts, { thinks, dropped });
  const generationConfig = defined({
    maxOutputTokens: request.max_tokens ?? undefined,
    temperature: request.temperature ?? undefined,
    topP: request.top_p ?? undefined,
    topK: request.top_k ?? undefined,
    stopSequences: encodeStops(request.stop_sequences, dropped),
    thinkingConfig,
    ...encodeFormat(request),
  });
  return defined({
    ...conversationOf(request, encoding),
    tools,
    toolConfig: encodeChoice(choice, dropped),
    generationConfig: Object.keys(generationConfig).length === 0 ? undefined : generationConfig,
  });
}

/** A conversation must have a first turn, which for some models has the instructions in it. */
function conversationOf(request: ChatRequest, encoding: Encoding): JsonObject {
  const systemInstruction = encodeSystem(request.system, encoding);
  const contents = encodeContents(request.messages, encoding);
  if (contents.length === 0)
    return { contents: [{ role: 'user', ...(systemInstruction ?? { parts: [{ text: '' }] }) }] };
  if (systemInstruction === undefined) return { contents };
  if (encoding.generation.instructed) return { systemInstruction, contents };
  return {
    contents: encodeContents(
      [{ role: 'user', content: request.system ?? '' }, ...request.messages],
      encoding,
    ),
  };
}
