import { setImmediate as nextTurn } from 'node:timers/promises';
import { blocksOf, type Message } from '../../module-api.ts';
import {
  looseShortening,
  pieceJsonCharsMax,
  recentTurnsMin,
  recentTurnsShareMax,
  recordCharsMin,
  shortenedAtOnceChars,
  shortenedShare,
  tightShortening,
} from './limits.ts';
import { charsOf } from './text/blocks.ts';
import { extractRecord } from './text/record.ts';
import { collectMentionedNames, shortenMessage } from './text/shorten.ts';
import { type Piece, sum } from './view.ts';

/** A record that a model wrote ahead of time. */
export interface WrittenRecord {
  readonly to: number;
  readonly text: string;
}

/** A conversation to compact. */
export interface PlanInput {
  readonly messages: readonly Message[];
  /** The size of each message. */
  readonly chars: readonly number[];
  /** The size of tools and instructions, which stay. */
  readonly fixedChars: number;
  readonly keepTurns: number;
  /** The ref under which a message or a range of messages can be read. */
  ref(from: number, to?: number): string;
  /** Finds a written record that begins at `from` and ends by `to`. */
  readonly findWrittenRecord?: ((from: number, to: number) => WrittenRecord | undefined) | undefined;
}

interface PlanBounds {
  readonly base?: readonly Piece[];
  /** The maximum size of the rewritten part. */
  readonly writesChars?: number;
  /** Messages before this index must not change. */
  readonly since?: number;
}

/**
 * Plans pieces after `base`, which stays, to fit the request into `goalChars` if possible. With `writesChars` or `since` it only
 * shortens tool results, from as far back as these allow.
 */
export async function planPieces(
  planInput: PlanInput,
  goalChars: number,
  { base = [], writesChars, since }: PlanBounds = {},
): Promise<readonly Piece[] | undefined> {
  const start = base.at(-1)?.to ?? 0;
  const kept = recentTurnsStart(planInput, goalChars);
  if (kept <= start) return undefined;
  const left =
    goalChars - planInput.fixedChars - sum(base.map(({ chars }) => chars)) - sum(planInput.chars.slice(kept));
  const mentioned = collectMentionedNames(planInput.messages.slice(kept));
  const isBound = writesChars !== undefined || since !== undefined;
  const how = { ...(isBound ? tightShortening : looseShortening), mentioned };
  const messages: Message[] = [];
  let readChars = shortenedAtOnceChars;
  for (const [at, message] of planInput.messages.slice(start, kept).entries()) {
    if (readChars >= shortenedAtOnceChars) {
      await nextTurn();
      readChars = 0;
    }
    readChars += planInput.chars[start + at] ?? 0;
    messages.push(shortenMessage(message, { ...how, ref: () => planInput.ref(start + at) }));
  }
  const chars = messages.map(charsOf);
  if (isBound) {
    const most = (writesChars ?? 0) - sum(planInput.chars.slice(kept));
    const from = since ?? findSplit(planInput, { start, end: kept, chars, most });
    if (from < start || from >= kept) return undefined;
    const before = planInput.messages.slice(start, from);
    return [
      ...base,
      ...shortenedPieces(planInput, before, start),
      ...shortenedPieces(planInput, messages.slice(from - start), from),
    ];
  }
  if (sum(chars) <= left) return [...base, ...shortenedPieces(planInput, messages, start)];
  const split = findSplit(planInput, {
    start,
    end: kept,
    chars,
    most: Math.max(0, left) * shareOfShortened(planInput, start, kept),
  });
  const recent = messages.slice(split - start);
  const recordChars = Math.max(recordCharsMin, left - sum(recent.map(charsOf)));
  return [
    ...base,
    ...(await recordPieces(planInput, { start, end: split, chars: recordChars })),
    ...shortenedPieces(planInput, recent, split),
  ];
}

/** Only tool results can be shortened; with few of them the room is better used for a record. */
function shareOfShortened({ messages, chars }: PlanInput, start: number, end: number): number {
  let [results, all] = [0, 1];
  for (let at = start; at < end; at++) {
    const size = chars[at] ?? 0;
    all += size;
    const message = messages[at];
    if (message !== undefined && blocksOf(message).some(({ type }) => type.startsWith('tool_')))
      results += size;
  }
  return (shortenedShare * results) / all;
}

/** The index where the newest, unchanged turns begin: fewer turns if they are very large. */
function recentTurnsStart({ messages, chars, keepTurns }: PlanInput, goalChars: number): number {
  let turns = 0;
  let size = 0;
  let from = messages.length;
  for (let at = messages.length - 1; at > 0; at--) {
    size += chars[at] ?? 0;
    if (!isTurnStart(messages, at)) continue;
    if (turns >= recentTurnsMin && (turns >= keepTurns || size > goalChars * recentTurnsShareMax)) break;
    turns++;
    from = at;
  }
  return from === messages.length ? 0 : from;
}

/** An answer after a user message: all tool calls before it have results, so the messages before it can become one. */
function isTurnStart(messages: readonly Message[], at: number): boolean {
  return messages[at]?.role === 'assistant' && messages[at - 1]?.role === 'user';
}

interface SplitInput {
  readonly start: number;
  readonly end: number;
  readonly chars: readonly number[];
  readonly most: number;
}

/** The first turn start from which the shortened messages fit into `most` characters. */
function findSplit({ messages }: PlanInput, { start, end, chars, most }: SplitInput): number {
  let size = 0;
  let split = end;
  for (let at = end - 1; at > start; at--) {
    size += chars[at - start] ?? 0;
    if (size > most) break;
    if (isTurnStart(messages, at)) split = at;
  }
  return split;
}

function shortenedPieces(planInput: PlanInput, messages: readonly Message[], from: number): readonly Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  let size = 0;
  const close = (end: number) => {
    const own = messages.slice(start, end);
    if (own.length === 0) return;
    const [first, last] = [from + start, from + end];
    pieces.push({
      kind: 'shortened',
      from: first,
      to: last,
      ref: planInput.ref(first, last),
      messages: own,
      chars: size,
    });
    start = end;
    size = 0;
  };
  for (const [at, message] of messages.entries()) {
    const chars = charsOf(message);
    if (size + chars > pieceJsonCharsMax && isTurnStart(planInput.messages, from + at)) close(at);
    size += chars;
  }
  close(messages.length);
  return pieces;
}

async function recordPieces(
  planInput: PlanInput,
  { start, end, chars }: { readonly start: number; readonly end: number; readonly chars: number },
): Promise<readonly Piece[]> {
  if (end <= start) return [];
  const ready = planInput.findWrittenRecord?.(start, end);
  if (ready !== undefined) {
    const piece = recordPiece(planInput, { from: start, to: ready.to, text: ready.text });
    const left = Math.max(recordCharsMin, chars - piece.chars);
    return [piece, ...(await recordPieces(planInput, { start: ready.to, end, chars: left }))];
  }
  const pieces: Piece[] = [];
  let from = start;
  let text = '';
  for (const { at, text: line } of await extractRecord(planInput.messages.slice(start, end), chars)) {
    if (text !== '' && text.length + line.length > pieceJsonCharsMax) {
      pieces.push(recordPiece(planInput, { from, to: start + at, text }));
      from = start + at;
      text = '';
    }
    text += text === '' ? line : `\n${line}`;
  }
  pieces.push(recordPiece(planInput, { from, to: end, text }));
  return pieces;
}

/** System messages within the range are kept complete. */
function recordPiece(
  planInput: PlanInput,
  { from, to, text }: { readonly from: number; readonly to: number; readonly text: string },
): Piece {
  const ref = planInput.ref(from, to);
  const systemMessages = planInput.messages.slice(from, to).filter(({ role }) => role === 'system');
  const record = { type: 'text' as const, text: `${recordHeading(ref)}\n${text}` };
  const messages: readonly Message[] = [{ role: 'user', content: [record] }, ...systemMessages];
  return { kind: 'record', from, to, ref, messages, chars: sum(messages.map(charsOf)) };
}

function recordHeading(ref: string): string {
  return `[Earlier in this conversation, shortened by the gateway; the whole is kept as ${ref}]`;
}
