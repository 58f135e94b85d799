import type { Answer, Block, ReplyEvent, StopDelta } from '../../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { dropInvalidFields, type FieldChecks, objectsOf, stringOf } from '../json-values.ts';
import { sanitizeUsage } from './sanitize-usage.ts';

/**
 * Enforces the types that readers of a reply, or part of one, rely on: a value of another type counts as absent, or as
 * empty if required. Unknown fields pass unchanged.
 */
export function sanitizeReply(reply: JsonObject): Answer {
  const { id, model, content, stop_reason, stop_sequence, stop_details, usage } = reply;
  const answer = {
    ...reply,
    id: stringOf(id) ?? '',
    type: 'message',
    role: 'assistant',
    model: stringOf(model) ?? '',
    content: objectsOf(content).flatMap((block) => sanitizeBlock(block) ?? []),
    stop_reason: stringOf(stop_reason) ?? null,
    stop_sequence: stringOf(stop_sequence) ?? null,
    usage: sanitizeUsage(usage),
  } as const;
  return stop_details === undefined
    ? answer
    : { ...answer, stop_details: sanitizeStopDelta({ stop_details }).stop_details ?? null };
}

/** Undefined if it isn't an event or isn't valid as its type. */
export function sanitizeEvent(data: JsonObject): ReplyEvent | undefined {
  switch (data.type) {
    case 'message_start':
      return isJsonObject(data.message)
        ? asEvent({ ...data, message: sanitizeReply(data.message) })
        : undefined;
    case 'content_block_start': {
      const block = isJsonObject(data.content_block) ? sanitizeBlock(data.content_block) : undefined;
      if (block === undefined || !isIndex(data.index)) return undefined;
      return block === data.content_block ? asEvent(data) : asEvent({ ...data, content_block: block });
    }
    case 'content_block_delta':
      return isIndex(data.index) && isJsonObject(data.delta) && isValidDelta(data.delta)
        ? asEvent(data)
        : undefined;
    case 'content_block_stop':
      return isIndex(data.index) ? asEvent(data) : undefined;
    case 'message_delta': {
      if (!isJsonObject(data.delta)) return undefined;
      const event = { ...data, delta: sanitizeStopDelta(data.delta) };
      return asEvent(data.usage === undefined ? event : { ...event, usage: sanitizeUsage(data.usage) });
    }
    default:
      return typeof data.type === 'string' ? asEvent(data) : undefined;
  }
}

function isIndex(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** The same block if it is valid; undefined if its type is unclear. */
function sanitizeBlock(block: JsonObject): Block | undefined {
  if (typeof block.type !== 'string') return undefined;
  const texts = stringFieldsByBlockType.get(block.type) ?? [];
  const isSound = texts.every((name) => typeof block[name] === 'string') && hasValidSignature(block);
  if (isSound) return asBlock(block);
  const { signature: _, ...rest } = block;
  const filled = Object.fromEntries(texts.map((name) => [name, stringOf(block[name]) ?? '']));
  return asBlock({ ...(hasValidSignature(block) ? block : rest), ...filled });
}

function hasValidSignature({ type, signature }: JsonObject): boolean {
  return type !== 'thinking' || signature === undefined || typeof signature === 'string';
}

/** String fields by block type. */
const stringFieldsByBlockType: ReadonlyMap<string, readonly string[]> = new Map([
  ['text', ['text']],
  ['thinking', ['thinking']],
  ['redacted_thinking', ['data']],
  ['tool_use', ['id', 'name']],
]);

function isValidDelta(delta: JsonObject): boolean {
  const { type } = delta;
  if (typeof type !== 'string') return false;
  const text = stringFieldByDeltaType.get(type);
  return text === undefined || typeof delta[text] === 'string';
}

const stringFieldByDeltaType: ReadonlyMap<string, string> = new Map([
  ['text_delta', 'text'],
  ['input_json_delta', 'partial_json'],
  ['thinking_delta', 'thinking'],
  ['signature_delta', 'signature'],
]);

function sanitizeStopDelta(delta: JsonObject): StopDelta {
  return dropInvalidFields(delta, stopDeltaChecks);
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

const stopDetailsChecks: FieldChecks = { type: isString, category: isString, explanation: isString };

const stopDeltaChecks: FieldChecks = {
  stop_reason: isString,
  stop_sequence: isString,
  stop_details: (value) => isJsonObject(value) && dropInvalidFields(value, stopDetailsChecks) === value,
};

function asEvent(checked: object): ReplyEvent {
  return checked as ReplyEvent;
}

function asBlock(checked: object): Block {
  return checked as Block;
}
