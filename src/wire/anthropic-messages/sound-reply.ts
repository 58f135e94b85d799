import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import type { Answer, Block, ReplyEvent, StopDelta } from '../../kernel/message.ts';
import { type Checks, objectsOf, soundFields, stringOf } from '../read.ts';
import { soundUsage } from './sound-usage.ts';

/**
 * An answer, or a piece of one, with the types that its readers rely on: what has another counts as absent, or as empty
 * where it can't be. What we have no name for travels along as it is.
 */
export function soundAnswer(told: JsonObject): Answer {
  const { id, model, content, stop_reason, stop_sequence, stop_details, usage } = told;
  const answer = {
    ...told,
    id: stringOf(id) ?? '',
    type: 'message',
    role: 'assistant',
    model: stringOf(model) ?? '',
    content: objectsOf(content).flatMap((block) => soundBlock(block) ?? []),
    stop_reason: stringOf(stop_reason) ?? null,
    stop_sequence: stringOf(stop_sequence) ?? null,
    usage: soundUsage(usage),
  } as const;
  return stop_details === undefined
    ? answer
    : { ...answer, stop_details: soundDelta({ stop_details }).stop_details ?? null };
}

/** Undefined for what is no event, or can't be read as the one that it says it is. */
export function soundEvent(data: JsonObject): ReplyEvent | undefined {
  switch (data.type) {
    case 'message_start':
      return isJsonObject(data.message)
        ? asEvent({ ...data, message: soundAnswer(data.message) })
        : undefined;
    case 'content_block_start': {
      const block = isJsonObject(data.content_block) ? soundBlock(data.content_block) : undefined;
      if (block === undefined || !isIndex(data.index)) return undefined;
      return block === data.content_block ? asEvent(data) : asEvent({ ...data, content_block: block });
    }
    case 'content_block_delta':
      return isIndex(data.index) && isJsonObject(data.delta) && isDelta(data.delta)
        ? asEvent(data)
        : undefined;
    case 'content_block_stop':
      return isIndex(data.index) ? asEvent(data) : undefined;
    case 'message_delta': {
      if (!isJsonObject(data.delta)) return undefined;
      const event = { ...data, delta: soundDelta(data.delta) };
      return asEvent(data.usage === undefined ? event : { ...event, usage: soundUsage(data.usage) });
    }
    default:
      return typeof data.type === 'string' ? asEvent(data) : undefined;
  }
}

function isIndex(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** The same block where it is as it should be; undefined where nobody can tell what it is. */
function soundBlock(told: JsonObject): Block | undefined {
  if (typeof told.type !== 'string') return undefined;
  const texts = textsOf.get(told.type) ?? [];
  const isSound = texts.every((name) => typeof told[name] === 'string') && isSigned(told);
  if (isSound) return asBlock(told);
  const { signature: _, ...rest } = told;
  const filled = Object.fromEntries(texts.map((name) => [name, stringOf(told[name]) ?? '']));
  return asBlock({ ...(isSigned(told) ? told : rest), ...filled });
}

function isSigned({ type, signature }: JsonObject): boolean {
  return type !== 'thinking' || signature === undefined || typeof signature === 'string';
}

/** Fields of a block that are text. */
const textsOf: ReadonlyMap<string, readonly string[]> = new Map([
  ['text', ['text']],
  ['thinking', ['thinking']],
  ['redacted_thinking', ['data']],
  ['tool_use', ['id', 'name']],
]);

function isDelta(delta: JsonObject): boolean {
  const { type } = delta;
  if (typeof type !== 'string') return false;
  const text = textOfDelta.get(type);
  return text === undefined || typeof delta[text] === 'string';
}

const textOfDelta: ReadonlyMap<string, string> = new Map([
  ['text_delta', 'text'],
  ['input_json_delta', 'partial_json'],
  ['thinking_delta', 'thinking'],
  ['signature_delta', 'signature'],
]);

function soundDelta(told: JsonObject): StopDelta {
  return soundFields(told, stopping);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

const details: Checks = { type: isText, category: isText, explanation: isText };

const stopping: Checks = {
  stop_reason: isText,
  stop_sequence: isText,
  stop_details: (value) => isJsonObject(value) && soundFields(value, details) === value,
};

function asEvent(checked: object): ReplyEvent {
  return checked as ReplyEvent;
}

function asBlock(checked: object): Block {
  return checked as Block;
}
