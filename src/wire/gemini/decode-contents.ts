import type { Block, Message, TextBlock } from '../../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { ExtensionFields } from '../extension-fields.ts';
import { foreignBlock } from '../foreign.ts';
import { objectOf, stringOf } from '../json-values.ts';
import { decodeForeignPart, decodeMedia, decodeResult } from './decode-parts.ts';
import { objectListIn, readField } from './fields.ts';
import { joinPartialCalls } from './join-partial-calls.ts';
import {
  type AnyThinkingBlock,
  decodeCarriedThinking,
  skipSignatureValidation,
  toSignatureBlock,
} from './signatures.ts';
import { groupTurns, messageOf, type Turn } from './turns.ts';

/** The system prompt as a string if it is one text, else as blocks. */
export function decodeSystem(body: JsonObject): string | readonly TextBlock[] | undefined {
  const instruction = readField(body, 'systemInstruction');
  if (typeof instruction === 'string') return instruction === '' ? undefined : instruction;
  if (!isJsonObject(instruction)) return undefined;
  const texts = objectListIn(instruction, 'parts').flatMap(({ text }) => stringOf(text) || []);
  const [only, another] = texts;
  if (only === undefined || another === undefined) return only;
  return texts.map((text) => ({ type: 'text', text }));
}

export interface DecodeContext {
  readonly extensionFields: ExtensionFields;
  /** The requested model, which the signatures in the conversation belong to. */
  readonly model: string;
}

/** Groups contents into turns: pieces of a reply that a client stored as streamed are one turn. */
export function decodeContents(
  contents: readonly JsonObject[],
  decodeContext: DecodeContext,
): readonly Message[] {
  const toolCallIds = new ToolCallIds();
  for (const { role } of contents)
    if (!roles.has(role))
      decodeContext.extensionFields.essential[`contents[].${stringOf(role) ?? 'role'}`] = true;
  const turns = groupTurns(contents, roleOf).map((turn) => {
    const parts = turn.from.flatMap((content) => objectListIn(content, 'parts'));
    const blocks =
      turn.role === 'assistant'
        ? decodeModelParts(joinPartialCalls(parts), toolCallIds, decodeContext)
        : decodeUserParts(parts, toolCallIds, decodeContext.extensionFields);
    return { turn, blocks };
  });
  const { unanswered } = toolCallIds;
  return turns.map(({ turn, blocks }) => messageOf(turn, withoutCalls(blocks, unanswered)));
}

/** Only Google accepts calls without results, and runs some by itself: other formats can't express them. */
function withoutCalls(
  blocks: readonly Block[],
  unanswered: ReadonlyMap<string, JsonObject>,
): readonly Block[] {
  if (unanswered.size === 0) return blocks;
  return blocks.map((block) => {
    const part = block.type === 'tool_use' ? unanswered.get(block.id) : undefined;
    return part === undefined ? block : foreignBlock('gemini', part, 'functionCall');
  });
}

const roles: ReadonlySet<unknown> = new Set([undefined, null, '', 'user', 'model', 'function', 'tool']);

function roleOf({ role }: JsonObject): Turn['role'] {
  return role === 'model' ? 'assistant' : 'user';
}

/** Calls mostly have no ids here: each gets one by position; results are matched by name and order. */
class ToolCallIds {
  #count = 0;
  readonly #open: { readonly id: string; readonly name: string; readonly part: JsonObject }[] = [];

  /** The parts of calls without results, by the ids of the calls. */
  get unanswered(): ReadonlyMap<string, JsonObject> {
    return new Map(this.#open.map(({ id, part }) => [id, part]));
  }

  assign(clientId: string | undefined, name: string, part: JsonObject): string {
    const id = clientId || `call_${this.#count}`;
    this.#count++;
    this.#open.push({ id, name, part });
    return id;
  }

  resolve(clientId: string | undefined, name: string): string {
    const named = clientId ? this.#open.findIndex(({ id }) => id === clientId) : -1;
    const at = named < 0 ? this.#open.findIndex((call) => call.name === name) : named;
    const [call] = at < 0 ? [] : this.#open.splice(at, 1);
    return call?.id ?? (clientId || `call_${name}`);
  }
}

function decodeUserParts(
  parts: readonly JsonObject[],
  toolCallIds: ToolCallIds,
  extensionFields: ExtensionFields,
): readonly Block[] {
  return parts.flatMap((part): readonly Block[] => {
    const text = stringOf(part.text);
    if (text !== undefined) return text === '' ? [] : [{ type: 'text', text }];
    const response = objectOf(readField(part, 'functionResponse'));
    if (response !== undefined) {
      const id = toolCallIds.resolve(stringOf(response.id), stringOf(response.name) ?? '');
      return [decodeResult(response, id, extensionFields)];
    }
    const media = decodeMedia(part);
    return media === undefined ? decodeForeignPart(part, extensionFields, 'client') : [media];
  });
}

/** Decodes a model turn; joins pieces of one text. */
function decodeModelParts(
  parts: readonly JsonObject[],
  toolCallIds: ToolCallIds,
  { extensionFields, model }: DecodeContext,
): readonly Block[] {
  const blocks: Block[] = [];
  for (const part of parts) {
    const rawSignature = stringOf(readField(part, 'thoughtSignature')) ?? '';
    const carried = decodeCarriedThinking(rawSignature);
    const signature = carried === undefined ? rawSignature : '';
    if (carried !== undefined) restoreThinking(carried, blocks);
    const text = stringOf(part.text);
    const call = objectOf(readField(part, 'functionCall'));
    if (call !== undefined) {
      const name = stringOf(call.name) ?? '';
      const id = toolCallIds.assign(stringOf(call.id), name, part);
      if (signature !== '' && signature !== skipSignatureValidation)
        blocks.push(toSignatureBlock({ model, signature, on: { call: id } }));
      blocks.push({ type: 'tool_use', id, name, input: call.args ?? {} });
    } else if (text !== undefined) {
      appendText(blocks, part.thought === true ? 'thinking' : 'text', text);
      if (signature !== '') blocks.push(toSignatureBlock({ model, signature, on: signatureTargetOf(part) }));
    } else blocks.push(...decodeForeignPart(part, extensionFields, 'model'));
  }
  return blocks;
}

function signatureTargetOf({ text, thought }: JsonObject): 'text' | 'end' {
  return text === '' || thought === true ? 'end' : 'text';
}

function appendText(blocks: Block[], kind: 'thinking' | 'text', text: string): void {
  if (text === '') return;
  const last = blocks.at(-1);
  if (kind === 'text' && last?.type === 'text')
    blocks.splice(-1, 1, { type: 'text', text: last.text + text });
  else if (kind === 'text') blocks.push({ type: 'text', text });
  else if (last?.type === 'thinking' && last.signature === undefined)
    blocks.splice(-1, 1, { type: 'thinking', thinking: last.thinking + text });
  else blocks.push({ type: 'thinking', thinking: text });
}

/** Restores carried thinking in place of its visible part, else before the content that followed it. */
function restoreThinking(carried: readonly AnyThinkingBlock[], blocks: Block[]): void {
  for (const anyThinkingBlock of carried) {
    if (blocks.some((block) => isSameThinking(block, anyThinkingBlock))) continue;
    const copyIndex = blocks.findIndex((block) => isUnsignedCopy(block, anyThinkingBlock));
    if (copyIndex >= 0) blocks.splice(copyIndex, 1, anyThinkingBlock);
    else blocks.splice(blocks.findLastIndex(precedesCarriedThinking) + 1, 0, anyThinkingBlock);
  }
}

function isSameThinking(block: Block, anyThinkingBlock: AnyThinkingBlock): boolean {
  if (block.type === 'thinking')
    return anyThinkingBlock.type === 'thinking' && block.signature === anyThinkingBlock.signature;
  return (
    block.type === 'redacted_thinking' && 'data' in anyThinkingBlock && block.data === anyThinkingBlock.data
  );
}

function isUnsignedCopy(block: Block, anyThinkingBlock: AnyThinkingBlock): boolean {
  if (block.type !== 'thinking' || block.signature !== undefined) return false;
  return anyThinkingBlock.type === 'thinking' && block.thinking === anyThinkingBlock.thinking;
}

/** Whether the block came before the carried thinking. */
function precedesCarriedThinking({ type }: Block): boolean {
  return type === 'tool_use' || type === 'thinking' || type === 'redacted_thinking';
}
