import { isJsonObject } from '../../lib/json.ts';
import type { DecisionLog } from '../conversation/decision-log.ts';
import { digest, memoizeDigest } from '../conversation/digest.ts';
import type { Exchange } from '../exchange.ts';
import type { Block, Message } from '../message.ts';
import { blocksOf } from '../message-blocks.ts';
import type { FoldedCalls } from './call-folder.ts';

/** One output of the model, and the results of its gateway tool calls. */
export interface ToolRound {
  readonly content: readonly Block[];
  /** Empty if it called none. */
  readonly results: readonly Block[];
  /** Its repeated calls, which the client didn't see. */
  readonly folded?: FoldedCalls;
}

/** What the client saw of a turn, independent of format: its text and its calls. */
export interface VisibleTurn {
  readonly text: string;
  readonly calls: readonly string[];
}

/** The id that the client's result refers to: null for a result without id, undefined if the block needs none. */
export function awaitedCallIdOf(block: Block): string | null | undefined {
  if (block.type === 'tool_use') return block.id;
  const { awaits }: { readonly type: string; readonly awaits?: unknown } = block;
  return typeof awaits === 'string' || awaits === null ? awaits : undefined;
}

/** Provider-specific blocks that clients didn't ask for. */
export interface HiddenBlocks {
  isHidden(block: Block): boolean;
  /** Whether this call's provider needs those of earlier turns again; another one can't read them. */
  readonly resend: boolean;
}

/** The key in the decision log of the turn that follows `before`, a digest of the conversation. */
export function turnKey(before: string, turn: VisibleTurn): string {
  return `turn:${before}:${digestOfTurn(turn)}`;
}

function digestOfTurn({ text, calls }: VisibleTurn): string {
  return digest([text.trim(), calls]);
}

/** Digests of turns by their messages. */
const turnDigests = new WeakMap<object, string>();

/** The messages of a request with the hidden rounds of earlier turns restored. */
export async function restoreToolRounds(
  exchange: Exchange,
  decisionLog: DecisionLog,
  hidden?: HiddenBlocks,
): Promise<readonly Message[]> {
  const { conversation, request } = exchange;
  if (await decisionLog.isEmpty()) return request.messages;
  const keyAt = (message: Message, at: number) =>
    `turn:${conversation.digestAt(at)}:${memoizeDigest(message, () => digestOfTurn(visibleTurnOf(message)), turnDigests)}`;
  const keys = request.messages.map((message, at) =>
    message.role === 'assistant' ? keyAt(message, at) : undefined,
  );
  const decided = await decisionLog.getAll(keys.filter((key) => key !== undefined));
  if (decided.size === 0) return request.messages;
  const messages: Message[] = [];
  let isChanged = false;
  /** Results that go before those of the client. */
  let waiting: readonly Block[] = [];
  /** Calls of the latest turn whose results are those of others. */
  let folded: FoldedCalls = {};
  for (const [at, received] of request.messages.entries()) {
    const rounds = parseToolRounds(decided.get(keys[at] ?? ''));
    const message = received.role === 'user' ? addFoldedResults(received, folded) : received;
    if (waiting.length > 0 && message.role === 'user') {
      messages.push({ ...message, content: [...waiting, ...blocksOf(message)] });
      waiting = [];
      continue;
    }
    if (message.role === 'assistant') folded = {};
    if (rounds.length === 0) {
      messages.push(message);
      continue;
    }
    isChanged = true;
    folded = answeredCalls(rounds.at(-1)?.folded ?? {}, request.messages.slice(at + 1));
    const shown = rounds
      .map((toolRound) => (hidden?.resend === false ? removeHiddenBlocks(toolRound, hidden) : toolRound))
      .filter(({ content }) => content.length > 0);
    for (const [round, toolRound] of shown.entries()) {
      const { content, results } = toolRound;
      if (waiting.length > 0) messages.push({ role: 'user', content: waiting });
      const isLast = round === shown.length - 1;
      const whole = isLast ? removeUnanswered(content, toolRound.folded ?? {}, folded) : content;
      messages.push({ role: 'assistant', content: isLast ? copyCacheMarker(message, whole) : whole });
      waiting = results;
    }
  }
  if (waiting.length > 0) messages.push({ role: 'user', content: waiting });
  return isChanged ? messages : request.messages;
}

/** The repeated calls that the client has answered by answering the call that they repeat. */
function answeredCalls(folded: FoldedCalls, following: readonly Message[]): FoldedCalls {
  const entries = Object.entries(folded);
  if (entries.length === 0) return folded;
  const end = following.findIndex(({ role }) => role === 'assistant');
  const results = (end < 0 ? following : following.slice(0, end)).flatMap(blocksOf);
  const answered = new Set(
    results.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : [])),
  );
  return Object.fromEntries(entries.filter(([, first]) => answered.has(first)));
}

/** Without the repeated calls that would have no result. */
function removeUnanswered(
  content: readonly Block[],
  folded: FoldedCalls,
  answered: FoldedCalls,
): readonly Block[] {
  return content.filter(
    (block) =>
      block.type !== 'tool_use' || folded[block.id] === undefined || answered[block.id] !== undefined,
  );
}

/** Repeated calls have the result of the call that they repeat, in front of it, so that a cache marker stays at the end. */
function addFoldedResults(message: Message, folded: FoldedCalls): Message {
  const entries = Object.entries(folded);
  if (entries.length === 0) return message;
  const content = blocksOf(message).flatMap((block): readonly Block[] => {
    if (block.type !== 'tool_result') return [block];
    const { cache_control: _, ...result } = block;
    const copies = entries.filter(([, first]) => first === block.tool_use_id);
    return [...copies.map(([tool_use_id]) => ({ ...result, tool_use_id })), block];
  });
  return content.length === blocksOf(message).length ? message : { ...message, content };
}

function removeHiddenBlocks(toolRound: ToolRound, { isHidden }: HiddenBlocks): ToolRound {
  return { ...toolRound, content: toolRound.content.filter((block) => !isHidden(block)) };
}

/** Keeps the client's cache marker on the last block that it saw. */
function copyCacheMarker(message: Message, content: readonly Block[]): readonly Block[] {
  const marked = blocksOf(message).find((block) => 'cache_control' in block && block.cache_control != null);
  const last = content.at(-1);
  if (marked === undefined || !('cache_control' in marked)) return content;
  if (last?.type !== 'text' && last?.type !== 'tool_use') return content;
  return [...content.slice(0, -1), { ...last, cache_control: marked.cache_control }];
}

function visibleTurnOf(message: Message): VisibleTurn {
  const blocks = blocksOf(message);
  return {
    text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
  };
}

/** Parses stored rounds. */
function parseToolRounds(stored: unknown): readonly ToolRound[] {
  return Array.isArray(stored) ? stored.filter(isToolRound) : [];
}

function isToolRound(stored: unknown): stored is ToolRound {
  return isJsonObject(stored) && Array.isArray(stored.content) && Array.isArray(stored.results);
}
