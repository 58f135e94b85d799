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
import { defined } from '../read.ts';
import { changesOf } from './changes.ts';
import { choiceOf, encodeFormat, encodeLimit, encodeTools, namesOf } from './encode-fields.ts';
import { encodeMessage, encodeSystem } from './encode-messages.ts';
import { type Encoding, encodingFor } from './encode-parts.ts';
import { joinedTurns } from './joined-turns.ts';

export function encodeRequest(
  asked: ChatRequest,
  received?: Received,
  accepts: Acceptance = everything,
): EncodedRequest {
  const { model } = asked;
  const encoding = encodingFor(model, accepts);
  if (received !== undefined) {
    const body = patchJson(received.fields, changesOf(asked, received, encoding));
    return { body, dropped: listOf(encoding.dropped) };
  }
  checkTranslatable(asked);
  checkCrossing(asked, 'openai-chat');
  return translate(asked, {
    ...encoding,
    keepsOriginals: false,
    callId: callIdsFor(asked.messages, accepts.callIds),
  });
}

function translate(asked: ChatRequest, encoding: Encoding): EncodedRequest {
  const { accepts, dropped } = encoding;
  const effort = effortOf(asked, accepts.efforts, dropped);
  const shaped = withAcceptedFormat(asked, accepts, dropped);
  const request = withoutRefused(shaped, accepts, { thinks: thinksHard(effort), dropped });
  for (const field of fieldsLeftBehind(request, 'openai-chat')) encoding.dropped.add(field);
  for (const field of fieldsUnknownTo(request, ['stop_sequences'])) encoding.dropped.add(field);
  const { model, system, messages, stream, temperature, top_p, stop_sequences: stop, metadata } = request;
  const tools = encodeTools(request.tools, encoding);
  const choice = acceptedChoice(request.tool_choice, namesOf(tools), dropped);
  const body: JsonObject = {
    ...defined({ model }),
    messages: goingOn(
      [
        ...encodeSystem(system, encoding),
        ...joinedTurns(messages).flatMap((message) => encodeMessage(message, encoding)),
      ],
      accepts,
    ),
    ...encodeLimit(request, accepts),
    ...defined({
      temperature,
      top_p,
      stop,
      tools,
      user: fittingUserId(metadata?.user_id),
    }),
    ...choiceOf(choice),
    ...defined({ reasoning_effort: effort, response_format: encodeFormat(request) }),
    ...(stream === true && { stream }),
    ...ownFields(request, 'openai-chat'),
  };
  return { body: Buffer.from(JSON.stringify(body)), dropped: listOf(encoding.dropped) };
}

/** A conversation that ends with the model's own words asks it to go on from there. */
function goingOn(messages: readonly JsonObject[], { lastWords }: Acceptance): readonly JsonObject[] {
  const last = messages.at(-1);
  if (lastWords === 'plain' || last?.role !== 'assistant') return messages;
  return [...messages.slice(0, -1), { ...last, prefix: true }];
}
