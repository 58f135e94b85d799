import type { Block, Message, ToolResultBlock, ToolUseBlock } from '../../../module-api.ts';
import { isJsonObject } from '../../../module-api.ts';
import { leftOutCharsMin } from '../limits.ts';
import { blocksOf } from './blocks.ts';
import { withoutThoughts } from './thoughts.ts';

const trouble =
  /\b(error|fail(ed|s|ure)?|exception|traceback|warning|fatal|panic|denied|not found|cannot|undefined is)\b/i;
const identifier = /[A-Za-z_][\w./-]{5,}/g;

/** What later turns name: of results that are shortened, lines with these stay. */
export function mentionedIn(messages: readonly Message[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const message of messages)
    for (const block of blocksOf(message)) {
      const text = block.type === 'text' ? block.text : block.type === 'tool_use' ? namesIn(block) : '';
      for (const [name] of text.matchAll(identifier)) if (names.size < namesMax) names.add(name);
    }
  return names;
}

const namesMax = 5000;

/** Short arguments are names of things; long ones are the things themselves. */
function namesIn({ input }: ToolUseBlock): string {
  if (!isJsonObject(input)) return '';
  return Object.values(input)
    .filter((value) => typeof value === 'string' && value.length < 200)
    .join(' ');
}

/** How much stays. */
export interface Shortening {
  /** Of a result, and of a text among the arguments of a call. */
  readonly resultChars: number;
  readonly argumentChars: number;
  /** Lines with these stay as far as there is room. */
  readonly mentioned: ReadonlySet<string>;
  /** Under which the message can be read as it was. */
  ref(): string;
}

/** A turn that is not among the newest: calls and results keep their places, long ones their beginnings and ends. */
export function shortenedMessage(message: Message, how: Shortening): Message {
  const bare = withoutThoughts(message);
  if (typeof bare.content === 'string') return bare;
  const content = bare.content.map((block) => shortenedBlock(block, how));
  return content.every((block, at) => block === bare.content[at]) ? bare : { ...bare, content };
}

function shortenedBlock(block: Block, how: Shortening): Block {
  switch (block.type) {
    case 'tool_use':
      return shortenedCall(block, how);
    case 'tool_result':
      return shortenedResult(block, how);
    default:
      return unmarkedBlock(block);
  }
}

/** Cache markers go to where they help. */
function unmarkedBlock(block: Block): Block {
  if (!('cache_control' in block) || block.cache_control == null) return block;
  const { cache_control: _, ...rest } = block;
  return rest;
}

function shortenedCall(call: ToolUseBlock, how: Shortening): ToolUseBlock {
  const { cache_control: _, ...block } = call;
  const input = isPlain(call) ? shortenedValue(call.input, how) : call.input;
  return input === call.input && call.cache_control == null ? call : { ...block, input };
}

/** What a provider has added to a call may speak of its arguments. */
function isPlain(call: ToolUseBlock): boolean {
  return Object.keys(call).every((field) => plainFields.has(field));
}

const plainFields: ReadonlySet<string> = new Set(['type', 'id', 'name', 'input', 'cache_control']);

function shortenedValue(value: unknown, how: Shortening): unknown {
  if (typeof value === 'string')
    return value.length > how.argumentChars * 1.2 + leftOutCharsMin ? cut(value, how) : value;
  if (Array.isArray(value)) {
    const items = value.map((item) => shortenedValue(item, how));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, shortenedValue(field, how)] as const);
  return fields.every(([name, field]) => field === value[name]) ? value : Object.fromEntries(fields);
}

function shortenedResult(result: ToolResultBlock, how: Shortening): ToolResultBlock {
  const { cache_control: _, ...unmarked } = result;
  const { content } = result;
  if (content === undefined) return result;
  if (typeof content === 'string') {
    const text = shortenedText(content, how);
    return text === content && result.cache_control == null ? result : { ...unmarked, content: text };
  }
  const parts = content.map((block): Block => {
    if (block.type === 'text') {
      const text = shortenedText(block.text, how);
      return text === block.text ? unmarkedBlock(block) : { type: 'text', text };
    }
    return block.type === 'image' || block.type === 'document'
      ? { type: 'text', text: `[${block.type} left out by the gateway, kept as ${how.ref()}]` }
      : unmarkedBlock(block);
  });
  const isSame = result.cache_control == null && parts.every((block, at) => block === content[at]);
  return isSame ? result : { ...unmarked, content: parts };
}

/** The beginning, the end, and of the lines between them those with troubles and with what is named later. */
function shortenedText(text: string, { resultChars: chars, mentioned, ref }: Shortening): string {
  if (text.length <= chars + leftOutCharsMin) return text;
  const head = lineEndBefore(text, Math.floor(chars * 0.4));
  const tail = lineStartAfter(text, text.length - Math.floor(chars * 0.25));
  const kept = tellingLines(text.slice(head, tail), chars - head - (text.length - tail), mentioned);
  const left = tail - head - kept.length;
  return left < leftOutCharsMin
    ? text
    : `${text.slice(0, head)}\n${leftOut(left, ref())}\n${kept === '' ? '' : `${kept}\n`}${text.slice(tail)}`;
}

/** Words that no tool writes, and that nobody takes for part of a file. */
function leftOut(chars: number, ref: string): string {
  return `[… ${chars} characters left out by the gateway, kept as ${ref} …]`;
}

function cut(text: string, { argumentChars, ref }: Shortening): string {
  const head = lineEndBefore(text, Math.floor(argumentChars * 0.6));
  const tail = lineStartAfter(text, text.length - Math.floor(argumentChars * 0.2));
  return `${text.slice(0, head)}\n${leftOut(tail - head, ref())}\n${text.slice(tail)}`;
}

const scannedCharsMax = 40_000;

function tellingLines(text: string, chars: number, mentioned: ReadonlySet<string>): string {
  const kept: string[] = [];
  let left = chars;
  for (const line of text.slice(0, scannedCharsMax).split('\n')) {
    if (left <= 0) break;
    if (line.length < 4 || line.length > 300 || line.length > left) continue;
    if (!trouble.test(line) && !names(line, mentioned)) continue;
    kept.push(line);
    left -= line.length + 1;
  }
  return kept.join('\n');
}

function names(line: string, mentioned: ReadonlySet<string>): boolean {
  if (mentioned.size === 0) return false;
  for (const [name] of line.matchAll(identifier)) if (mentioned.has(name)) return true;
  return false;
}

/** At a line's end where one is near, and never inside of a character. */
function lineEndBefore(text: string, at: number): number {
  const stop = text.lastIndexOf('\n', at);
  return stop > at / 2 ? stop : wholeCharacter(text, at);
}

function lineStartAfter(text: string, at: number): number {
  const stop = text.indexOf('\n', at);
  return stop >= 0 && stop - at < (text.length - at) / 2 ? stop + 1 : wholeCharacter(text, at);
}

function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
