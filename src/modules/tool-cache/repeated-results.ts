import { hash } from 'node:crypto';
import {
  type Block,
  blocksOf,
  type ChatRequest,
  canonicalJson,
  type DecisionLog,
  isJsonObject,
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
} from '../../module-api.ts';
import { quotedArgumentsChars, repeatedCharsMin } from './limits.ts';

/** A tool result that is long enough to be referred to. */
interface Result {
  readonly block: ToolResultBlock;
  /** The same for results with the same content. */
  readonly content: string;
  /** The index of its message, and its index there. */
  readonly at: number;
  readonly nth: number;
  /** The number of answers before it. */
  readonly round: number;
}

/** A result as it is sent: in full, or as a reference to one that is. */
interface SentResult extends Result {
  readonly isFull: boolean;
}

/** A decision to send a reference: the id of the call whose result it refers to, and its text. */
interface Reference {
  readonly to: string;
  readonly text: string;
}

export interface ReferredResults {
  readonly request: ChatRequest;
  readonly count: number;
  /** The characters that are left out of the newest turn, and of earlier ones. */
  readonly newestChars: number;
  readonly earlierChars: number;
}

/** Whether some result has the same content as an earlier one. */
export function hasRepeatedResult({ messages }: ChatRequest): boolean {
  const contents = visibleResultsOf(messages).map(({ content }) => content);
  return new Set(contents).size < contents.length;
}

/**
 * Replaces results with references to earlier ones that have the same content. Whether a result is replaced is decided when it is first
 * sent, unless `mayDecide` is false, and holds as long as the other result is sent in full.
 */
export async function referRepeatedResults(
  request: ChatRequest,
  decisionLog: DecisionLog,
  mayDecide: boolean,
): Promise<ReferredResults> {
  const { messages } = request;
  const newest = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const sentByContent = new Map<string, SentResult[]>();
  /** The texts of references by the place of their results: the same object may be at several places. */
  const replaced = new Map<string, string>();
  const chars = { newest: 0, earlier: 0 };
  const results = visibleResultsOf(messages);
  const stored = await decisionLog.getAll(repeatsIn(results).map(decisionKey));
  for (const result of results) {
    const sent = sentByContent.get(result.content) ?? [];
    const isNew = mayDecide && result.at >= newest;
    const known = parseReference(stored.get(decisionKey(result)));
    const reference = known ?? (isNew ? await decide(result, { sent, messages, decisionLog }) : undefined);
    const isFull = !sent.some((one) => one.isFull && one.block.tool_use_id === reference?.to);
    sentByContent.set(result.content, [...sent, { ...result, isFull }]);
    if (isFull || reference === undefined) continue;
    replaced.set(placeOf(result.at, result.nth), reference.text);
    chars[result.at >= newest ? 'newest' : 'earlier'] += sizeOf(result.block) - reference.text.length;
  }
  const edited = replaced.size === 0 ? request : { ...request, messages: replaceResults(messages, replaced) };
  return { request: edited, count: replaced.size, newestChars: chars.newest, earlierChars: chars.earlier };
}

/** The long results that the model can read, in their order. A provider leaves out everything before its own compaction. */
function visibleResultsOf(messages: readonly Message[]): readonly Result[] {
  const results: Result[] = [];
  let round = 0;
  for (const [at, message] of messages.entries()) {
    if (typeof message.content === 'string') continue;
    if (message.role === 'assistant') {
      round++;
      if (message.content.some(isCompaction)) results.length = 0;
      continue;
    }
    for (const [nth, block] of message.content.entries())
      if (block.type === 'tool_result' && block.is_error !== true && sizeOf(block) >= repeatedCharsMin)
        results.push({ block, content: digestOfContent(block), at, nth, round });
  }
  return results;
}

function isCompaction(block: Block): boolean {
  const { type, kind }: { readonly type: string; readonly kind?: unknown } = block;
  return type === 'compaction' || kind === 'compaction';
}

function repeatsIn(results: readonly Result[]): readonly Result[] {
  const seen = new Set<string>();
  return results.filter(({ content }) => seen.size === seen.add(content).size);
}

/** Refers to the latest full result, unless the model got only a reference the last time and has called the tool again. */
async function decide(
  result: Result,
  {
    sent,
    messages,
    decisionLog,
  }: {
    readonly sent: readonly SentResult[];
    readonly messages: readonly Message[];
    readonly decisionLog: DecisionLog;
  },
): Promise<Reference | undefined> {
  const full = sent.findLast(({ isFull }) => isFull);
  const before = sent.findLast(({ round }) => round < result.round);
  const isCalledAgain = before !== undefined && (full?.round ?? 0) < before.round;
  if (full === undefined || isCalledAgain) return undefined;
  const reference = { to: full.block.tool_use_id, text: referenceText(full, result, messages) };
  return parseReference(await decisionLog.decideOnce(decisionKey(result), () => reference));
}

function referenceText(to: Result, from: Result, messages: readonly Message[]): string {
  const turns = messages.slice(to.at + 1, from.at).filter(isPrompt).length;
  const where =
    turns === 0 ? 'earlier in this turn' : turns === 1 ? 'one turn earlier' : `${turns} turns earlier`;
  return `[Same result as ${describeCall(to.block.tool_use_id, messages)} ${where}, word for word; not repeated here.]`;
}

/** Whether it has a text of the user. */
function isPrompt(message: Message): boolean {
  return message.role === 'user' && blocksOf(message).some(({ type }) => type === 'text');
}

function describeCall(id: string, messages: readonly Message[]): string {
  const call = messages
    .flatMap(blocksOf)
    .findLast((block): block is ToolUseBlock => block.type === 'tool_use' && block.id === id);
  if (call === undefined) return 'a call';
  const input = JSON.stringify(call.input ?? {});
  const quoted = input.length <= quotedArgumentsChars ? input : `${input.slice(0, quotedArgumentsChars)}…`;
  return `the call ${call.name}(${quoted})`;
}

/** Ids can recur in a conversation, but hardly with the same content. */
function decisionKey({ block, content }: Result): string {
  return `repeat:${block.tool_use_id}:${content}`;
}

function parseReference(stored: unknown): Reference | undefined {
  if (!isJsonObject(stored)) return undefined;
  const { to, text } = stored;
  return typeof to === 'string' && typeof text === 'string' ? { to, text } : undefined;
}

function placeOf(at: number, nth: number): string {
  return `${at}:${nth}`;
}

function replaceResults(
  messages: readonly Message[],
  replaced: ReadonlyMap<string, string>,
): readonly Message[] {
  return messages.map((message, at) => {
    if (typeof message.content === 'string') return message;
    const content = message.content.map((block, nth) => replaceResult(block, replaced.get(placeOf(at, nth))));
    const isSame = content.every((block, nth) => block === message.content[nth]);
    return isSame ? message : { ...message, content };
  });
}

/** A cache marker inside of the content moves to the result. */
function replaceResult(block: Block, text: string | undefined): Block {
  if (block.type !== 'tool_result' || text === undefined) return block;
  const parts = typeof block.content === 'string' ? [] : (block.content ?? []);
  const marker = parts.flatMap((part) => ('cache_control' in part ? (part.cache_control ?? []) : [])).at(-1);
  return { ...block, ...(marker !== undefined && { cache_control: marker }), content: text };
}

function sizeOf({ content = '' }: ToolResultBlock): number {
  if (typeof content === 'string') return content.length;
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : mediaChars(part)), 0);
}

function mediaChars(part: Block): number {
  const { source }: { readonly type: string; readonly source?: unknown } = part;
  return isJsonObject(source) && typeof source.data === 'string' ? source.data.length : 0;
}

/** Results are immutable, and most of them return in the next call. */
const contentDigests = new WeakMap<ToolResultBlock, string>();

/** Ignores blanks at the ends of lines, and whether a text is in a block. */
function digestOfContent(block: ToolResultBlock): string {
  const known = contentDigests.get(block);
  if (known !== undefined) return known;
  const { content = '' } = block;
  const parts = typeof content === 'string' ? [trimLineEnds(content)] : content.map(comparablePart);
  const [only, another] = parts;
  const text = typeof only === 'string' && another === undefined ? only : canonicalJson(parts);
  const digest = hash('sha256', text, 'base64url').slice(0, digestChars);
  contentDigests.set(block, digest);
  return digest;
}

/** 132 bits: collisions can't be found. */
const digestChars = 22;

function comparablePart(part: Block): unknown {
  const { cache_control: _, ...rest }: Block & { readonly cache_control?: unknown } = part;
  return part.type === 'text' ? trimLineEnds(part.text) : rest;
}

/** Most texts have no such blanks, and need not be split. */
function trimLineEnds(text: string): string {
  if (![' \n', '\t\n', '\r\n'].some((end) => text.includes(end))) return text.trimEnd();
  const lines = text.split('\n').map((line) => line.trimEnd());
  return lines.join('\n').trimEnd();
}
