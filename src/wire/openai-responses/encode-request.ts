import { type Acceptance, everything } from '../../kernel/acceptance.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import { patchJson } from '../../kernel/patch-json.ts';
import type { Received } from '../../kernel/received.ts';
import type { EncodedRequest } from '../../kernel/wire-format.ts';
import { acceptedChoice, withoutRefused } from '../accepted.ts';
import { withAcceptedFormat } from '../accepted-format.ts';
import { callIdsFor } from '../call-ids.ts';
import { checkCrossing } from '../check-crossing.ts';
import { checkTranslatable } from '../check-translatable.ts';
import { listOf } from '../dropped.ts';
import { fieldsLeftBehind, fieldsUnknownTo, ownFields } from '../foreign.ts';
import { effortOf, thinksHard } from '../openai/effort.ts';
import { fittingUserId } from '../openai/user-id.ts';
import { defined, objectOf } from '../read.ts';
import { changesOf } from './changes.ts';
import { choiceOf, encodeFormat, encodeLimit, encodeTools, namesOf } from './encode-fields.ts';
import { type Encoding, encodeMessage } from './encode-items.ts';

export function encodeRequest(
  asked: ChatRequest,
  received?: Received,
  accepts: Acceptance = everything,
): EncodedRequest {
  const encoding = { ...targetFor(asked.model, accepts), asked: { store: received?.fields.get('store') } };
  if (received !== undefined) {
    const body = patchJson(received.fields, changesOf(asked, received, encoding));
    return { body, dropped: listOf(encoding.dropped) };
  }
  checkTranslatable(asked);
  checkCrossing(asked, 'openai-responses');
  return translate(asked, accepts, {
    ...encoding,
    keepsOriginals: false,
    callId: callIdsFor(asked.messages, accepts.callIds),
  });
}

function translate(asked: ChatRequest, accepts: Acceptance, encoding: Encoding): EncodedRequest {
  const { dropped } = encoding;
  const effort = effortOf(asked, accepts.efforts, dropped);
  const shaped = withAcceptedFormat(asked, accepts, dropped);
  const request = withoutRefused(shaped, accepts, { thinks: thinksHard(effort), dropped });
  for (const field of fieldsLeftBehind(request, 'openai-responses')) dropped.add(field);
  for (const field of fieldsUnknownTo(request)) dropped.add(field);
  const { model, messages, stream, temperature, top_p, metadata } = request;
  const tools = encodeTools(request.tools, dropped);
  const choice = acceptedChoice(request.tool_choice, namesOf(tools), dropped);
  const { reasoning, text, ...own } = ownFields(request, 'openai-responses');
  const body: JsonObject = {
    model,
    ...defined({ instructions: instructionsOf(request, dropped) }),
    input: messages.flatMap((message) => encodeMessage(message, encoding)),
    ...defined({
      max_output_tokens: encodeLimit(request),
      temperature,
      top_p,
      tools,
    }),
    ...choiceOf(choice),
    ...merged('reasoning', objectOf(reasoning), defined({ effort })),
    ...merged('text', objectOf(text), defined({ format: encodeFormat(request) })),
    ...defined({ user: fittingUserId(metadata?.user_id), stream: stream === true ? stream : undefined }),
    ...stateless(model),
    ...own,
  };
  return { body: Buffer.from(JSON.stringify(body)), dropped: listOf(dropped) };
}

function targetFor(model: string, { thoughts }: Acceptance): Omit<Encoding, 'asked'> {
  const takesPlainReasoning = thoughts !== 'nowhere' && !openaiModel.test(model);
  return { takesPlainReasoning, keepsOriginals: true, callId: (id) => id, dropped: new Set() };
}

const openaiModel = /^(gpt-(?!oss)|o\d|codex-|chatgpt-|ft:)/;

function instructionsOf({ system }: ChatRequest, dropped: Set<string>): string | undefined {
  if (system === undefined || typeof system === 'string') return system;
  if (system.some((block) => block.cache_control != null)) dropped.add('cache_control');
  return system.map((block) => block.text).join('\n\n');
}

function merged(field: string, own: JsonObject | undefined, said: JsonObject): JsonObject {
  const all = { ...own, ...said };
  return Object.keys(all).length === 0 ? {} : { [field]: all };
}

/** A client of another format sends the whole conversation each time: nothing is to be kept, and reasoning has to come back with it. */
function stateless(model: string): JsonObject {
  const thinks = openaiModel.test(model) && !/^(gpt-[34]|chatgpt-)/.test(model);
  return { store: false, ...(thinks && { include: ['reasoning.encrypted_content'] }) };
}
