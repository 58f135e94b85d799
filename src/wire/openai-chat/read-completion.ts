import type { JsonObject } from '../../kernel/json.ts';
import type { Answer, Block, StreamError } from '../../kernel/message.ts';
import type { AnswerEnds } from '../answer-ends.ts';
import type { Glimpse, Whole } from '../collected-json.ts';
import { openaiError } from '../openai-errors.ts';
import { objectOf, objectsOf, stringOf } from '../read.ts';
import { toolInputOf } from '../tool-input.ts';
import { isEncryptedDetail, sealedExtra } from './extras.ts';
import { signedDetailOf, thinkingOf, thinkingPartText } from './reasoning.ts';
import { stopReasonOf } from './stop-reason.ts';
import { usageOf } from './usage.ts';

export function readCompletion(body: JsonObject): Whole {
  const error = errorOf(body);
  if (error !== undefined) return { error };
  return Array.isArray(body.choices) ? { answer: answerOf(body) } : undefined;
}

/** The two things that are told of every answer; what may change their meaning is read. */
export function glimpseOfCompletion(ends: AnswerEnds): Glimpse | undefined {
  const usage = objectOf(ends.field('usage', 1));
  const finish = ends.field('finish_reason', 3);
  if (usage === undefined || typeof finish !== 'string' || !ends.hasOne('finish_reason')) return undefined;
  const more = ends.has(/"(?:error|tool_calls|refusal|service_tier)"\s*:/);
  if (more && (ends.has(/"(?:error|tool_calls)"\s*:/) || (ends.field('refusal', 4) ?? null) !== null))
    return undefined;
  const told = usageOf(usage, more ? { service_tier: ends.field('service_tier', 1) } : {});
  if (told.output_tokens === undefined) return undefined;
  return { stop_reason: stopReasonOf(finish, { tools: false, refused: false }), usage: told };
}

export function errorOf(body: JsonObject): StreamError | undefined {
  const { error } = body;
  return error === null || error === undefined ? undefined : openaiError(error);
}

/** The first choice: more than one can't be asked for across formats. */
function answerOf(body: JsonObject): Answer {
  const choices = objectsOf(body.choices);
  const choice = choices.find((candidate) => candidate.index === 0) ?? choices[0] ?? {};
  const message = objectOf(choice.message) ?? {};
  const refusal = stringOf(message.refusal);
  const content = [
    ...thinkingOf(message),
    ...encryptedOf(message, body),
    ...textsOf(message.content),
    ...callsOf(message, body),
  ];
  const refused = refusal !== undefined && refusal !== '';
  if (refused) content.push({ type: 'text', text: refusal, refusal: true });
  const tools = content.some((block) => block.type === 'tool_use');
  return {
    id: stringOf(body.id) ?? '',
    type: 'message',
    role: 'assistant',
    model: modelOf(body),
    content,
    stop_reason: stopReasonOf(stringOf(choice.finish_reason) ?? 'stop', { tools, refused }),
    stop_sequence: null,
    ...(refused && { stop_details: { type: 'refusal', category: null, explanation: refusal } }),
    usage: usageOf(objectOf(body.usage) ?? {}, body),
  };
}

function encryptedOf(message: JsonObject, body: JsonObject): readonly Block[] {
  return objectsOf(message.reasoning_details)
    .filter((detail) => signedDetailOf(detail) === undefined && isEncryptedDetail(detail))
    .map((detail) => sealedExtra({ model: modelOf(body), detail }));
}

function modelOf(body: JsonObject): string {
  return stringOf(body.model) ?? '';
}

function textsOf(content: unknown): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return objectsOf(content).flatMap((part): readonly Block[] => {
    if (part.type === 'thinking') return [{ type: 'thinking', thinking: thinkingPartText(part) }];
    const text = stringOf(part.text);
    return text === undefined || text === '' ? [] : [{ type: 'text', text }];
  });
}

function callsOf(message: JsonObject, body: JsonObject): readonly Block[] {
  return objectsOf(message.tool_calls).flatMap((call, at): readonly Block[] => {
    const called = objectOf(call.function);
    const name = stringOf(called?.name);
    if (name === undefined) return [];
    const id = stringOf(call.id) || `call_${stringOf(body.id) ?? ''}_${at}`;
    const extra_content = objectOf(call.extra_content);
    const extras =
      extra_content === undefined ? [] : [sealedExtra({ model: modelOf(body), call: { id, extra_content } })];
    return [...extras, { type: 'tool_use', id, name, input: toolInputOf(called?.arguments) }];
  });
}
