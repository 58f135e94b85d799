import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import type { Block, Message, TextBlock } from '../../kernel/message.ts';
import type { Losses } from '../losses.ts';
import { remember } from '../openai/origin.ts';
import { objectOf, stringOf } from '../read.ts';
import { decodeMedia, decodeOther, decodeResult } from './decode-parts.ts';
import { field, listIn } from './fields.ts';
import { carriedIn, sealedSignature, type Thought, unsigned } from './signatures.ts';
import { wholeCalls } from './whole-calls.ts';

/** Instructions as one string where they are one, else as blocks. */
export function decodeSystem(body: JsonObject): string | readonly TextBlock[] | undefined {
  const told = field(body, 'systemInstruction');
  if (typeof told === 'string') return told === '' ? undefined : told;
  if (!isJsonObject(told)) return undefined;
  const texts = listIn(told, 'parts').flatMap(({ text }) => stringOf(text) || []);
  const [only, another] = texts;
  if (only === undefined || another === undefined) return only;
  return texts.map((text) => ({ type: 'text', text }));
}

export interface Reading {
  readonly losses: Losses;
  /** Who is asked, and so whose the signatures in the conversation are. */
  readonly model: string;
}

/** Contents in turns: pieces of an answer that a client kept as they came are one turn. */
export function decodeContents(contents: readonly JsonObject[], reading: Reading): readonly Message[] {
  const calls = new Calls();
  const messages: Message[] = [];
  for (const { role } of contents)
    if (!roles.has(role)) reading.losses.essential[`contents[].${stringOf(role) ?? 'role'}`] = true;
  for (let at = 0; at < contents.length; ) {
    const role = roleOf(contents[at]);
    let end = at + 1;
    while (end < contents.length && roleOf(contents[end]) === role) end++;
    const from = contents.slice(at, end);
    const parts = from.flatMap((content) => listIn(content, 'parts'));
    const content =
      role === 'assistant' ? madeOf(wholeCalls(parts), calls, reading) : saidOf(parts, calls, reading.losses);
    messages.push(remember({ role, content: asText(content) }, from));
    at = end;
  }
  return messages;
}

const roles: ReadonlySet<unknown> = new Set([undefined, null, '', 'user', 'model', 'function', 'tool']);

function roleOf(content: JsonObject | undefined): 'user' | 'assistant' {
  return content?.role === 'model' ? 'assistant' : 'user';
}

function asText(blocks: readonly Block[]): Message['content'] {
  const [only, another] = blocks;
  return only?.type === 'text' && another === undefined ? only.text : blocks;
}

/** Calls mostly have no ids here: each gets one by its place, and what it returned is found by name and order. */
class Calls {
  #count = 0;
  readonly #open: { readonly id: string; readonly name: string }[] = [];

  made(given: string | undefined, name: string): string {
    const id = given || `call_${this.#count}`;
    this.#count++;
    this.#open.push({ id, name });
    return id;
  }

  answered(given: string | undefined, name: string): string {
    const named = given ? this.#open.findIndex(({ id }) => id === given) : -1;
    const at = named < 0 ? this.#open.findIndex((call) => call.name === name) : named;
    const [call] = at < 0 ? [] : this.#open.splice(at, 1);
    return call?.id ?? (given || `call_${name}`);
  }
}

function saidOf(parts: readonly JsonObject[], calls: Calls, losses: Losses): readonly Block[] {
  return parts.flatMap((part): readonly Block[] => {
    const text = stringOf(part.text);
    if (text !== undefined) return text === '' ? [] : [{ type: 'text', text }];
    const response = objectOf(field(part, 'functionResponse'));
    if (response !== undefined) {
      const id = calls.answered(stringOf(response.id), stringOf(response.name) ?? '');
      return [decodeResult(response, id, losses)];
    }
    const media = decodeMedia(part);
    return media === undefined ? decodeOther(part, losses, 'client') : [media];
  });
}

/** What the model thought, said and called. Pieces of one text are put together again. */
function madeOf(parts: readonly JsonObject[], calls: Calls, { losses, model }: Reading): readonly Block[] {
  const blocks: Block[] = [];
  for (const part of parts) {
    const given = stringOf(field(part, 'thoughtSignature')) ?? '';
    const carried = carriedIn(given);
    const signature = carried === undefined ? given : '';
    if (carried !== undefined) restore(carried, blocks);
    const text = stringOf(part.text);
    const call = objectOf(field(part, 'functionCall'));
    if (call !== undefined) {
      const name = stringOf(call.name) ?? '';
      const id = calls.made(stringOf(call.id), name);
      if (signature !== '' && signature !== unsigned)
        blocks.push(sealedSignature({ model, signature, on: { call: id } }));
      blocks.push({ type: 'tool_use', id, name, input: call.args ?? {} });
    } else if (text !== undefined) {
      grow(blocks, part.thought === true ? 'thinking' : 'text', text);
      if (signature !== '') blocks.push(sealedSignature({ model, signature, on: placeOf(part) }));
    } else blocks.push(...decodeOther(part, losses, 'model'));
  }
  return blocks;
}

function placeOf({ text, thought }: JsonObject): 'text' | 'end' {
  return text === '' || thought === true ? 'end' : 'text';
}

function grow(blocks: Block[], kind: 'thinking' | 'text', text: string): void {
  if (text === '') return;
  const last = blocks.at(-1);
  if (kind === 'text' && last?.type === 'text')
    blocks.splice(-1, 1, { type: 'text', text: last.text + text });
  else if (kind === 'text') blocks.push({ type: 'text', text });
  else if (last?.type === 'thinking' && last.signature === undefined)
    blocks.splice(-1, 1, { type: 'thinking', thinking: last.thinking + text });
  else blocks.push({ type: 'thinking', thinking: text });
}

/** Thinking comes back as it was, in place of what the client was shown of it, else before what was said after it. */
function restore(carried: readonly Thought[], blocks: Block[]): void {
  for (const thought of carried) {
    if (blocks.some((block) => isSame(block, thought))) continue;
    const shown = blocks.findIndex((block) => isShown(block, thought));
    if (shown >= 0) blocks.splice(shown, 1, thought);
    else blocks.splice(blocks.findLastIndex(isBefore) + 1, 0, thought);
  }
}

function isSame(block: Block, thought: Thought): boolean {
  if (block.type === 'thinking') return thought.type === 'thinking' && block.signature === thought.signature;
  return block.type === 'redacted_thinking' && 'data' in thought && block.data === thought.data;
}

function isShown(block: Block, thought: Thought): boolean {
  if (block.type !== 'thinking' || block.signature !== undefined) return false;
  return thought.type === 'thinking' && block.thinking === thought.thinking;
}

/** What is carried was thought after these. */
function isBefore({ type }: Block): boolean {
  return type === 'tool_use' || type === 'thinking' || type === 'redacted_thinking';
}
