import {
  type Block,
  blocksOf,
  isJsonObject,
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
} from '../../../module-api.ts';
import { omittedCharsMin } from '../limits.ts';
import { removeThoughts } from './thoughts.ts';

const troublePattern =
  /\b(error|fail(ed|s|ure)?|exception|traceback|warning|fatal|panic|denied|not found|cannot|undefined is)\b/i;
const identifier = /[A-Za-z_][\w./-]{5,}/g;

/** Collects names in later turns, so that shortened results keep the lines with them. */
export function collectMentionedNames(messages: readonly Message[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const message of messages)
    for (const block of blocksOf(message)) {
      const text =
        block.type === 'text' ? block.text : block.type === 'tool_use' ? shortArgumentsOf(block) : '';
      for (const [name] of text.matchAll(identifier)) if (names.size < namesMax) names.add(name);
    }
  return names;
}

const namesMax = 5000;

/** Short arguments are usually names, long ones content. */
function shortArgumentsOf({ input }: ToolUseBlock): string {
  if (!isJsonObject(input)) return '';
  return Object.values(input)
    .filter((value) => typeof value === 'string' && value.length < 200)
    .join(' ');
}

export interface ShorteningOptions {
  /** Limits for a tool result, and for a text argument of a call. */
  readonly resultChars: number;
  readonly argumentChars: number;
  /** Lines with these names stay if there is room. */
  readonly mentioned: ReadonlySet<string>;
  /** The ref under which the original message can be read. */
  ref(): string;
}

/** Shortens a message of an older turn: calls and results stay, but long ones only with their beginnings and ends. */
export function shortenMessage(message: Message, how: ShorteningOptions): Message {
  const bare = removeThoughts(message);
  if (typeof bare.content === 'string') return bare;
  const content = bare.content.map((block) => shortenBlock(block, how));
  return content.every((block, at) => block === bare.content[at]) ? bare : { ...bare, content };
}

function shortenBlock(block: Block, how: ShorteningOptions): Block {
  switch (block.type) {
    case 'tool_use':
      return shortenCall(block, how);
    case 'tool_result':
      return shortenResult(block, how);
    default:
      return removeMarker(block);
  }
}

/** Markers are placed again after compaction. */
function removeMarker(block: Block): Block {
  if (!('cache_control' in block) || block.cache_control == null) return block;
  const { cache_control: _, ...rest } = block;
  return rest;
}

function shortenCall(call: ToolUseBlock, how: ShorteningOptions): ToolUseBlock {
  const { cache_control: _, ...block } = call;
  const input = isPlain(call) ? shortenValue(call.input, how) : call.input;
  return input === call.input && call.cache_control == null ? call : { ...block, input };
}

/** Fields that a provider added to a call may depend on its arguments. */
function isPlain(call: ToolUseBlock): boolean {
  return Object.keys(call).every((field) => plainFields.has(field));
}

const plainFields: ReadonlySet<string> = new Set(['type', 'id', 'name', 'input', 'cache_control']);

function shortenValue(value: unknown, how: ShorteningOptions): unknown {
  if (typeof value === 'string')
    return value.length > how.argumentChars * 1.2 + omittedCharsMin ? cutArgument(value, how) : value;
  if (Array.isArray(value)) {
    const items = value.map((item) => shortenValue(item, how));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, shortenValue(field, how)] as const);
  return fields.every(([name, field]) => field === value[name]) ? value : Object.fromEntries(fields);
}

function shortenResult(result: ToolResultBlock, how: ShorteningOptions): ToolResultBlock {
  const { cache_control: _, ...unmarked } = result;
  const { content } = result;
  if (content === undefined) return result;
  if (typeof content === 'string') {
    const text = shortenText(content, how);
    return text === content && result.cache_control == null ? result : { ...unmarked, content: text };
  }
  const parts = content.map((block): Block => {
    if (block.type === 'text') {
      const text = shortenText(block.text, how);
      return text === block.text ? removeMarker(block) : { type: 'text', text };
    }
    return block.type === 'image' || block.type === 'document'
      ? { type: 'text', text: `[${block.type} left out by the gateway, kept as ${how.ref()}]` }
      : removeMarker(block);
  });
  const isSame = result.cache_control == null && parts.every((block, at) => block === content[at]);
  return isSame ? result : { ...unmarked, content: parts };
}

/** Keeps the beginning, the end, and lines in between with errors or mentioned names. */
function shortenText(text: string, { resultChars: chars, mentioned, ref }: ShorteningOptions): string {
  if (text.length <= chars + omittedCharsMin) return text;
  const head = lineEndBefore(text, Math.floor(chars * 0.4));
  const tail = lineStartAfter(text, text.length - Math.floor(chars * 0.25));
  const kept = relevantLines(text.slice(head, tail), chars - head - (text.length - tail), mentioned);
  const left = tail - head - kept.length;
  return left < omittedCharsMin
    ? text
    : `${text.slice(0, head)}\n${omissionNote(left, ref())}\n${kept === '' ? '' : `${kept}\n`}${text.slice(tail)}`;
}

/** Worded so that it can't be mistaken for tool output or file content. */
function omissionNote(chars: number, ref: string): string {
  return `[… ${chars} characters left out by the gateway, kept as ${ref} …]`;
}

function cutArgument(text: string, { argumentChars, ref }: ShorteningOptions): string {
  return cutMiddle(text, { headChars: argumentChars * 0.6, tailChars: argumentChars * 0.2, ref: ref() });
}

/** Keeps the beginning and the end, with a note about the rest in between. */
export function cutMiddle(
  text: string,
  {
    headChars,
    tailChars,
    ref,
  }: { readonly headChars: number; readonly tailChars: number; readonly ref: string },
): string {
  const head = lineEndBefore(text, Math.floor(headChars));
  const tail = lineStartAfter(text, text.length - Math.floor(tailChars));
  return `${text.slice(0, head)}\n${omissionNote(tail - head, ref)}\n${text.slice(tail)}`;
}

const scannedCharsMax = 40_000;

function relevantLines(text: string, chars: number, mentioned: ReadonlySet<string>): string {
  const kept: string[] = [];
  let left = chars;
  for (const line of text.slice(0, scannedCharsMax).split('\n')) {
    if (left <= 0) break;
    if (line.length < 4 || line.length > 300 || line.length > left) continue;
    if (!troublePattern.test(line) && !mentionsAny(line, mentioned)) continue;
    kept.push(line);
    left -= line.length + 1;
  }
  return kept.join('\n');
}

function mentionsAny(line: string, mentioned: ReadonlySet<string>): boolean {
  if (mentioned.size === 0) return false;
  for (const [name] of line.matchAll(identifier)) if (mentioned.has(name)) return true;
  return false;
}

/** The nearest line end before `at`, or `at` itself, but never inside a surrogate pair. */
function lineEndBefore(text: string, at: number): number {
  const stop = text.lastIndexOf('\n', at);
  return stop > at / 2 ? stop : characterBoundary(text, at);
}

function lineStartAfter(text: string, at: number): number {
  const stop = text.indexOf('\n', at);
  return stop >= 0 && stop - at < (text.length - at) / 2 ? stop + 1 : characterBoundary(text, at);
}

function characterBoundary(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
