import type { Received } from '../../kernel/exchange.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import { patchJson } from '../../kernel/patch-json.ts';
import type { EncodedRequest } from '../../kernel/wire-format.ts';
import { checkTranslatable } from '../check-translatable.ts';
import { listOf } from '../dropped.ts';
import { fieldsLeftBehind, fieldsUnknownTo, ownFields } from '../foreign.ts';
import { fittingUserId } from '../openai/user-id.ts';
import { defined } from '../read.ts';
import { changesOf } from './changes.ts';
import { choiceOf, encodeLimit, encodeOutput, encodeTools } from './encode-fields.ts';
import { encodeMessage, encodeSystem } from './encode-messages.ts';
import { encodingFor } from './encode-parts.ts';

export function encodeRequest(request: ChatRequest, received?: Received): EncodedRequest {
  const encoding = encodingFor(request.model);
  if (received !== undefined) {
    const body = patchJson(received.fields, changesOf(request, received, encoding));
    return { body, dropped: listOf(encoding.dropped) };
  }
  checkTranslatable(request);
  for (const field of fieldsLeftBehind(request, 'openai-chat')) encoding.dropped.add(field);
  for (const field of fieldsUnknownTo(request, expressible)) encoding.dropped.add(field);
  const {
    model,
    system,
    messages,
    stream,
    tools,
    temperature,
    top_p,
    stop_sequences: stop,
    metadata,
  } = request;
  const body: JsonObject = {
    ...defined({ model }),
    messages: [
      ...encodeSystem(system, encoding),
      ...messages.flatMap((message) => encodeMessage(message, encoding)),
    ],
    ...encodeLimit(request),
    ...defined({
      temperature,
      top_p,
      stop,
      tools: encodeTools(tools, encoding),
      user: fittingUserId(metadata?.user_id),
    }),
    ...(tools !== undefined && choiceOf(request.tool_choice)),
    ...encodeOutput(request, encoding),
    ...(stream === true && { stream }),
    ...ownFields(request, 'openai-chat'),
  };
  return { body: Buffer.from(JSON.stringify(body)), dropped: listOf(encoding.dropped) };
}

const expressible: ReadonlySet<string> = new Set([
  'model',
  'system',
  'messages',
  'max_tokens',
  'stream',
  'tools',
  'tool_choice',
  'temperature',
  'top_p',
  'stop_sequences',
  'metadata',
  'thinking',
  'output_config',
  'output_format',
]);
