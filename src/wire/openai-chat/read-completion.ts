import type { Answer, Block, StreamError } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { DecodedReply, ReplySummary } from '../json-reply-decoder.ts';
import { readFieldFromTail } from '../json-tail.ts';
import { objectOf, objectsOf, stringOf } from '../json-values.ts';
import { decodeOpenaiError } from '../openai/errors.ts';
import { toolInputOf } from '../tool-input.ts';
import { isEncryptedDetail, toExtraBlock } from './provider-extras.ts';
import { signedDetailOf, thinkingOf, thinkingPartText } from './reasoning.ts';
import { stopReasonOf } from './stop-reason.ts';
import { usageOf } from './usage.ts';

export function readCompletion(body: JsonObject): DecodedReply {
  const error = errorOf(body);
  if (error !== undefined) return { error };
  return Array.isArray(body.choices) ? { answer: answerOf(body) } : undefined;
}

/** The reply's metadata without its content; undefined without token counts: then the content has to be read. */
export function summarizeCompletion(body: JsonObject): ReplySummary | undefined {
  if (!Array.isArray(body.choices) || errorOf(body) !== undefined) return undefined;
  const usage = usageOf(objectOf(body.usage) ?? {}, body);
  if (usage.output_tokens === undefined) return undefined;
  const choice = firstChoice(body);
  const message = objectOf(choice.message) ?? {};
  const toolNames = objectsOf(message.tool_calls).flatMap((call) => toolNameOf(call) ?? []);
  const tools = toolNames.length > 0;
  const refused = refusalOf(message) !== undefined;
  return { stop_reason: stopReasonOf(finishOf(choice), { tools, refused }), usage, toolNames };
}

/** The same from the end of the body; undefined if earlier fields could change its meaning. */
export function summarizeCompletionTail(json: string): ReplySummary | undefined {
  if (json.includes('"error"') || json.includes('"tool_calls"')) return undefined;
  if (json.includes('"refusal"') && readFieldFromTail(json, 'refusal', 4) !== null) return undefined;
  const usage = objectOf(readFieldFromTail(json, 'usage', 1));
  const finish = readFieldFromTail(json, 'finish_reason', 3);
  if (usage === undefined || typeof finish !== 'string') return undefined;
  const counted = usageOf(usage, { service_tier: readFieldFromTail(json, 'service_tier', 1) });
  return { stop_reason: stopReasonOf(finish, { tools: false, refused: false }), usage: counted };
}

export function errorOf(body: JsonObject): StreamError | undefined {
  const { error } = body;
  return error === null || error === undefined ? undefined : decodeOpenaiError(error);
}

/** The first choice: other formats can't request more. */
function firstChoice(body: JsonObject): JsonObject {
  const choices = objectsOf(body.choices);
  return choices.find((candidate) => candidate.index === 0) ?? choices[0] ?? {};
}

function finishOf(choice: JsonObject): string {
  return stringOf(choice.finish_reason) ?? 'stop';
}

function refusalOf(message: JsonObject): string | undefined {
  const refusal = stringOf(message.refusal);
  return refusal === '' ? undefined : refusal;
}

/** A call without a name is dropped: it can't be run. */
function toolNameOf(call: JsonObject): string | undefined {
  return stringOf(objectOf(call.function)?.name);
}

function answerOf(body: JsonObject): Answer {
  const choice = firstChoice(body);
  const message = objectOf(choice.message) ?? {};
  const refusal = refusalOf(message);
  const content = [
    ...thinkingOf(message),
    ...encryptedReasoningOf(message, body),
    ...contentBlocksOf(message.content),
    ...toolCallBlocksOf(message, body),
  ];
  const refused = refusal !== undefined;
  if (refused) content.push({ type: 'text', text: refusal, refusal: true });
  const tools = content.some((block) => block.type === 'tool_use');
  return {
    id: stringOf(body.id) ?? '',
    type: 'message',
    role: 'assistant',
    model: modelOf(body),
    content,
    stop_reason: stopReasonOf(finishOf(choice), { tools, refused }),
    stop_sequence: null,
    ...(refused && { stop_details: { type: 'refusal', category: null, explanation: refusal } }),
    usage: usageOf(objectOf(body.usage) ?? {}, body),
  };
}

function encryptedReasoningOf(message: JsonObject, body: JsonObject): readonly Block[] {
  return objectsOf(message.reasoning_details)
    .filter((detail) => signedDetailOf(detail) === undefined && isEncryptedDetail(detail))
    .map((detail) => toExtraBlock({ model: modelOf(body), detail }));
}

function modelOf(body: JsonObject): string {
  return stringOf(body.model) ?? '';
}

function contentBlocksOf(content: unknown): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return objectsOf(content).flatMap((part): readonly Block[] => {
    if (part.type === 'thinking') return [{ type: 'thinking', thinking: thinkingPartText(part) }];
    const text = stringOf(part.text);
    return text === undefined || text === '' ? [] : [{ type: 'text', text }];
  });
}

function toolCallBlocksOf(message: JsonObject, body: JsonObject): readonly Block[] {
  return objectsOf(message.tool_calls).flatMap((call, at): readonly Block[] => {
    const name = toolNameOf(call);
    if (name === undefined) return [];
    const id = stringOf(call.id) || `call_${stringOf(body.id) ?? ''}_${at}`;
    const extra_content = objectOf(call.extra_content);
    const extras =
      extra_content === undefined
        ? []
        : [toExtraBlock({ model: modelOf(body), call: { id, extra_content } })];
    return [
      ...extras,
      { type: 'tool_use', id, name, input: toolInputOf(objectOf(call.function)?.arguments) },
    ];
  });
}
