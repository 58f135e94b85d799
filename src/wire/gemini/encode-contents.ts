import type { Block, ChatRequest, Message, ToolResultBlock, ToolUseBlock } from '../../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { blocksOf } from '../blocks.ts';
import { isWrappedOpaque } from '../opaque-data.ts';
import { type EncodeContext, encodePart } from './encode-parts.ts';
import { encodeFunctionName } from './function-names.ts';
import {
  isSignatureFor,
  type SignaturesByTarget,
  signaturesFor,
  skipSignatureValidation,
} from './signatures.ts';
import { emptyTurnText, userTurnOf } from './user-turn.ts';

export function encodeSystem(
  system: ChatRequest['system'],
  encoding: Pick<EncodeContext, 'dropped'>,
): JsonObject | undefined {
  const parts = blocksOf(system ?? []).flatMap((block) => encodePart(block, encoding));
  return parts.length === 0 ? undefined : { parts };
}

/** Merges consecutive turns of a role: all results of a turn's calls must be in one turn. */
export function encodeContents(
  messages: readonly Message[],
  encodeContext: EncodeContext,
): readonly JsonObject[] {
  const contents: { role: string; parts: JsonObject[] }[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'model' : 'user';
    const parts = encodeMessage(message, encodeContext);
    const last = contents.at(-1);
    if (parts.length === 0) continue;
    if (last?.role === role) last.parts.push(...parts);
    else contents.push({ role, parts: [...parts] });
  }
  // Google rejects a call that begins a conversation.
  if (contents[0]?.role === 'model' && contents[0].parts.some((part) => 'functionCall' in part))
    contents.unshift({ role: 'user', parts: [{ text: emptyTurnText }] });
  return contents;
}

/** The parts of one turn. */
export function encodeMessage(message: Message, encodeContext: EncodeContext): readonly JsonObject[] {
  if (message.role === 'assistant') return encodeModelTurn(blocksOf(message.content), encodeContext);
  const { results, rest } = userTurnOf(message, encodeContext.dropped);
  const answered = results.map((result) => encodeResult(result, encodeContext));
  return [
    ...answered.map(({ part }) => part),
    ...answered.flatMap(({ trailingParts }) => trailingParts),
    ...rest.flatMap((block) => encodePart(block, encodeContext)),
  ];
}

interface EncodedToolResult {
  readonly part: JsonObject;
  /** The part of the result that its own part can't contain. */
  readonly trailingParts: readonly JsonObject[];
}

/** `output` and `error` are the names that models know: https://ai.google.dev/api/caching#FunctionResponse. */
function encodeResult(result: ToolResultBlock, encodeContext: EncodeContext): EncodedToolResult {
  const { tool_use_id: id, content = '', is_error } = result;
  if (result.cache_control != null) encodeContext.dropped.add('cache_control');
  const parts = blocksOf(content).flatMap((block) => encodePart(block, encodeContext));
  const text = parts.flatMap((part) => (typeof part.text === 'string' ? [part.text] : [])).join('\n\n');
  const media = parts.filter((part) => typeof part.text !== 'string');
  const name = encodeContext.functionNameOf(id);
  const textResponse = is_error === true ? { error: text } : { output: text };
  // https://ai.google.dev/api/caching#FunctionResponsePart accepts no URLs.
  const inside = encodeContext.generation.allowsMediaInResults
    ? media.filter((part) => 'inlineData' in part)
    : [];
  const trailing = media.filter((part) => !inside.includes(part));
  const response =
    text === '' && media.length > 0 && inside.length === 0
      ? { output: 'What this call returned follows.' }
      : textResponse;
  return {
    part: {
      functionResponse: { id, name, response, ...(inside.length > 0 && { parts: inside }) },
    },
    trailingParts: trailing.length === 0 ? [] : [{ text: `Returned by tool call ${id}:` }, ...trailing],
  };
}

function encodeModelTurn(blocks: readonly Block[], encodeContext: EncodeContext): readonly JsonObject[] {
  const signaturesByTarget = signaturesFor(encodeContext.model, blocks);
  const parts = blocks.flatMap((block) => encodeModelBlock(block, signaturesByTarget, encodeContext));
  const signed = withTextSignatures(parts, signaturesByTarget);
  return encodeContext.generation.requiresSignatures ? withFirstCallSigned(signed) : signed;
}

function encodeModelBlock(
  block: Block,
  signaturesByTarget: SignaturesByTarget,
  encodeContext: EncodeContext,
): readonly JsonObject[] {
  switch (block.type) {
    case 'tool_use':
      if (block.cache_control != null) encodeContext.dropped.add('cache_control');
      return [callPart(block, signaturesByTarget)];
    case 'thinking':
      // Thinking is only useful to its own model; only the signatures of its parts go back.
      encodeContext.dropped.add('messages[].content[].thinking');
      return [];
    case 'redacted_thinking':
      if (!isSignatureFor(encodeContext.model, block))
        encodeContext.dropped.add(
          isWrappedOpaque(block.data)
            ? 'messages[].content[].thinking'
            : 'messages[].content[].redacted_thinking',
        );
      return [];
    default:
      return encodePart(block, encodeContext);
  }
}

function callPart({ id, name, input }: ToolUseBlock, { byCall }: SignaturesByTarget): JsonObject {
  const args = isJsonObject(input) ? input : { value: input };
  const thoughtSignature = byCall.get(id);
  return {
    functionCall: { id, name: encodeFunctionName(name), args },
    ...(thoughtSignature !== undefined && { thoughtSignature }),
  };
}

/** The last text is the signed one; a signature without text gets its own part. */
function withTextSignatures(
  parts: readonly JsonObject[],
  { onText, atEnd }: SignaturesByTarget,
): readonly JsonObject[] {
  const signed = [...parts];
  const alone = [...atEnd];
  for (const thoughtSignature of onText.toReversed()) {
    const at = signed.findLastIndex((part) => 'text' in part && !('thoughtSignature' in part));
    if (at < 0) alone.unshift(thoughtSignature);
    else signed[at] = { ...signed[at], thoughtSignature };
  }
  const ends = alone.map((thoughtSignature) => ({ text: '', thoughtSignature }));
  return [...signed, ...ends];
}

/** The first of parallel calls is signed. */
function withFirstCallSigned(parts: readonly JsonObject[]): readonly JsonObject[] {
  const at = parts.findIndex((part) => 'functionCall' in part);
  const first = parts[at];
  if (first === undefined || 'thoughtSignature' in first) return parts;
  return parts.with(at, { ...first, thoughtSignature: skipSignatureValidation });
}

/** The name at Google: in other formats results refer to their call only by id. */
export function createFunctionNameLookup(messages: readonly Message[]): (callId: string) => string {
  const names = new Map<string, string>();
  for (const { content } of messages)
    if (typeof content !== 'string')
      for (const block of content) if (block.type === 'tool_use') names.set(block.id, block.name);
  return (callId) => encodeFunctionName(names.get(callId) ?? 'unknown_function');
}
