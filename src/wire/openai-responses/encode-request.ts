import type { Received } from '../../kernel/exchange.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import { patchJson } from '../../kernel/patch-json.ts';
import type { EncodedRequest } from '../../kernel/wire-format.ts';
import { checkTranslatable } from '../check-translatable.ts';
import { listOf } from '../dropped.ts';
import { fieldsLeftBehind, fieldsUnknownTo, ownFields } from '../foreign.ts';
import { effortOf } from '../openai/effort.ts';
import { fittingUserId } from '../openai/user-id.ts';
import { defined, objectOf } from '../read.ts';
import { changesOf } from './changes.ts';
import { choiceOf, encodeFormat, encodeLimit, encodeTools } from './encode-fields.ts';
import { type Encoding, encodeMessage } from './encode-items.ts';

export function encodeRequest(request: ChatRequest, received?: Received): EncodedRequest {
  const encoding = targetFor(request.model);
  if (received !== undefined) {
    const body = patchJson(received.fields, changesOf(request, received, encoding));
    return { body, dropped: listOf(encoding.dropped) };
  }
  checkTranslatable(request);
  const { dropped } = encoding;
  for (const field of fieldsLeftBehind(request, 'openai-responses')) dropped.add(field);
  for (const field of fieldsUnknownTo(request, expressible)) dropped.add(field);
  const { model, messages, stream, tools, temperature, top_p, metadata } = request;
  const { reasoning, text, ...own } = ownFields(request, 'openai-responses');
  const body: JsonObject = {
    model,
    ...defined({ instructions: instructionsOf(request, dropped) }),
    input: messages.flatMap((message) => encodeMessage(message, encoding)),
    ...defined({
      max_output_tokens: encodeLimit(request),
      temperature,
      top_p,
      tools: encodeTools(tools, dropped),
    }),
    ...(tools !== undefined && choiceOf(request.tool_choice)),
    ...merged('reasoning', objectOf(reasoning), defined({ effort: effortOf(request, dropped) })),
    ...merged('text', objectOf(text), defined({ format: encodeFormat(request) })),
    ...defined({ user: fittingUserId(metadata?.user_id), stream: stream === true ? stream : undefined }),
    ...stateless(model),
    ...own,
  };
  return { body: Buffer.from(JSON.stringify(body)), dropped: listOf(dropped) };
}

function targetFor(model: string): Encoding {
  return { takesPlainReasoning: !openaiModel.test(model), dropped: new Set() };
}

const openaiModel = /^(gpt-|o\d|codex-|chatgpt-|ft:)/;

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
  'metadata',
  'thinking',
  'output_config',
  'output_format',
]);
