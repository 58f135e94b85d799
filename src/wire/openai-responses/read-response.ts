import type { Answer, Block, StreamError } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { DecodedReply, ReplySummary } from '../json-reply-decoder.ts';
import { objectsOf, stringOf } from '../json-values.ts';
import { decodeOpenaiError } from '../openai/errors.ts';
import { toolInputOf } from '../tool-input.ts';
import { toForeignCitation } from './annotations.ts';
import { isForeignItem, toForeignBlock } from './foreign-items.ts';
import { opaqueReasoningOf, reasoningTextOf } from './reasoning.ts';
import { stopReasonOf } from './stop-reason.ts';
import { usageOf } from './usage.ts';

export function readResponse(body: JsonObject): DecodedReply {
  const error = errorOf(body);
  if (error !== undefined) return { error, usage: usageOf(body) };
  return Array.isArray(body.output) ? { answer: answerOf(body) } : undefined;
}

/** The reply's metadata without its content; undefined without token counts: then the content has to be read. */
export function summarizeResponse(body: JsonObject): ReplySummary | undefined {
  const whole = readResponse(body);
  if (whole === undefined || !('answer' in whole)) return undefined;
  const { stop_reason, usage, content } = whole.answer;
  const toolNames = content.flatMap((block) => (block.type === 'tool_use' ? block.name : []));
  return usage.output_tokens === undefined ? undefined : { stop_reason, usage, toolNames };
}

export function errorOf(body: JsonObject): StreamError | undefined {
  const { error } = body;
  if ((error === null || error === undefined) && body.status !== 'failed') return undefined;
  return decodeOpenaiError(error);
}

function answerOf(body: JsonObject): Answer {
  const output = objectsOf(body.output);
  const content = output.flatMap(blocksOf);
  const refusal = refusalIn(output);
  const tools = content.some((block) => block.type === 'tool_use');
  return {
    id: stringOf(body.id) ?? '',
    type: 'message',
    role: 'assistant',
    model: stringOf(body.model) ?? '',
    content,
    stop_reason: stopReasonOf(body, { tools, refused: refusal !== '' }),
    stop_sequence: null,
    ...(refusal !== '' && { stop_details: { type: 'refusal', category: null, explanation: refusal } }),
    usage: usageOf(body),
  };
}

export function refusalIn(output: readonly JsonObject[]): string {
  const parts = output.flatMap((item) => (item.type === 'message' ? objectsOf(item.content) : []));
  return parts.map((part) => stringOf(part.refusal) ?? '').join('');
}

/** The blocks of a complete item. */
export function blocksOf(item: JsonObject): readonly Block[] {
  switch (item.type) {
    case 'message':
      return objectsOf(item.content).flatMap((part) => textBlocksOf(part, phaseOf(item)));
    case 'reasoning':
      return reasoningBlocks(item);
    case 'function_call':
    case 'custom_tool_call': {
      const { id, name } = toolCallIdentity(item);
      const input =
        item.type === 'function_call' ? toolInputOf(item.arguments) : { input: stringOf(item.input) ?? '' };
      return [{ type: 'tool_use', id, name, input }];
    }
    default:
      return isForeignItem(item) ? [toForeignBlock(item)] : [];
  }
}

function reasoningBlocks(item: JsonObject): readonly Block[] {
  const thinking = reasoningTextOf(item);
  const half = opaqueReasoningOf(item);
  if (half !== undefined && 'signature' in half)
    return [{ type: 'thinking', thinking, signature: half.signature }];
  const visible: readonly Block[] = thinking === '' ? [] : [{ type: 'thinking', thinking }];
  return half === undefined ? visible : [...visible, half];
}

export function toolCallIdentity(item: JsonObject): { readonly id: string; readonly name: string } {
  return { id: stringOf(item.call_id) ?? stringOf(item.id) ?? '', name: stringOf(item.name) ?? '' };
}

/** The phase of the turn that a message belongs to, if given. */
export function phaseOf({ phase }: JsonObject): { readonly phase?: string } {
  return typeof phase === 'string' ? { phase } : {};
}

function textBlocksOf(part: JsonObject, phase: { readonly phase?: string }): readonly Block[] {
  const refusal = part.type === 'refusal' ? stringOf(part.refusal) : undefined;
  if (refusal !== undefined && refusal !== '')
    return [{ type: 'text', text: refusal, refusal: true, ...phase }];
  const text = part.type === 'output_text' ? stringOf(part.text) : undefined;
  if (text === undefined || text === '') return [];
  const citations = objectsOf(part.annotations).map(toForeignCitation);
  return [Object.assign({ type: 'text' as const, text, ...phase }, citations.length > 0 && { citations })];
}
