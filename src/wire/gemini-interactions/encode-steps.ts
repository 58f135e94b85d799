import type { Block, Message, ToolResultBlock, ToolUseBlock } from '../../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { blocksOf } from '../blocks.ts';
import { encodeFunctionName } from '../gemini/function-names.ts';
import { isSameModel } from '../gemini/signatures.ts';
import { emptyTurnText, userTurnOf } from '../gemini/user-turn.ts';
import { omitUndefined } from '../json-values.ts';
import { isWrappedOpaque } from '../opaque-data.ts';
import { isContent } from './decode-content.ts';
import { encodeContent, ownPartOf, textPart } from './encode-content.ts';
import { type AnyThinkingBlock, ownSignatureIn } from './thoughts.ts';

/** What encoders need besides the content. */
export interface EncodeContext {
  readonly model: string;
  /** The function name of a call id. */
  readonly functionNameOf: (callId: string) => string;
  readonly dropped: Set<string>;
}

/** The steps of a conversation. */
export function encodeSteps(
  messages: readonly Message[],
  encodeContext: EncodeContext,
): readonly JsonObject[] {
  const steps = messages.flatMap((message) => encodeMessage(message, encodeContext));
  // Google rejects a call that begins a conversation.
  const first = steps.find(({ type }) => type !== 'thought' && type !== 'model_output');
  return first?.type === 'function_call'
    ? [{ type: 'user_input', content: [textPart(emptyTurnText)] }, ...steps]
    : steps;
}

/** The steps of one turn. */
export function encodeMessage(message: Message, encodeContext: EncodeContext): readonly JsonObject[] {
  if (message.role === 'assistant') return encodeModelTurn(blocksOf(message.content), encodeContext);
  const { results, rest } = userTurnOf(message, encodeContext.dropped);
  return [
    ...results.map((result) => encodeResult(result, encodeContext)),
    ...contentStep('user_input', rest, encodeContext),
  ];
}

function contentStep(
  type: 'user_input' | 'model_output',
  blocks: readonly Block[],
  { dropped }: EncodeContext,
): readonly JsonObject[] {
  const content = encodeContent(blocks, dropped);
  return content.length === 0 ? [] : [{ type, content }];
}

function encodeResult(block: ToolResultBlock, { functionNameOf, dropped }: EncodeContext): JsonObject {
  const { tool_use_id: call_id, content = '', is_error } = block;
  if (block.cache_control != null) dropped.add('cache_control');
  const parts = typeof content === 'string' ? [textPart(content)] : encodeContent(content, dropped);
  const isText = parts.every(({ type }) => type === 'text');
  const result = isText ? parts.map(({ text }) => text).join('\n\n') : parts;
  const name = functionNameOf(call_id);
  return omitUndefined({ type: 'function_result', call_id, name, result, is_error: is_error || undefined });
}

/** Texts between other steps are one output. */
function encodeModelTurn(blocks: readonly Block[], encodeContext: EncodeContext): readonly JsonObject[] {
  const steps: JsonObject[] = [];
  let output: Block[] = [];
  const flush = () => {
    steps.push(...contentStep('model_output', output, encodeContext));
    output = [];
  };
  for (const [at, block] of blocks.entries()) {
    const step =
      block.type === 'thinking' || block.type === 'redacted_thinking'
        ? thoughtsOf(block, encodeContext, { before: blocks[at - 1], after: blocks[at + 1] })
        : stepOf(block, encodeContext);
    if (step === undefined) output.push(block);
    else {
      flush();
      steps.push(...step);
    }
  }
  flush();
  return steps;
}

/** The step of a block that is not part of an output; undefined for one that is. */
function stepOf(block: Block, { dropped }: EncodeContext): readonly JsonObject[] | undefined {
  if (block.type === 'tool_use') {
    if (block.cache_control != null) dropped.add('cache_control');
    return [callStep(block)];
  }
  const part = ownPartOf(block);
  return part === undefined || isContent(part) ? undefined : [part];
}

function callStep({ id, name, input }: ToolUseBlock): JsonObject {
  const args = isJsonObject(input) ? input : { value: input };
  return { type: 'function_call', id, name: encodeFunctionName(name), arguments: args };
}

/** Only signatures are of use, and only to their own model; a summary is in the block before. */
function thoughtsOf(
  block: AnyThinkingBlock,
  { model, dropped }: EncodeContext,
  { before, after }: { readonly before: Block | undefined; readonly after: Block | undefined },
): readonly JsonObject[] {
  if (block.type === 'thinking') {
    if (block.signature || signatureFor(model, after) === undefined)
      dropped.add('messages[].content[].thinking');
    return [];
  }
  const signature = signatureFor(model, block);
  if (signature === undefined) {
    dropped.add(`messages[].content[].${isWrappedOpaque(block.data) ? 'thinking' : 'redacted_thinking'}`);
    return [];
  }
  const summary = before?.type === 'thinking' && !before.signature ? [textPart(before.thinking)] : undefined;
  return [omitUndefined({ type: 'thought', summary, signature })];
}

function signatureFor(model: string, block: Block | undefined): string | undefined {
  const own = block === undefined ? undefined : ownSignatureIn(block);
  return own !== undefined && isSameModel(own.model, model) ? own.signature : undefined;
}
