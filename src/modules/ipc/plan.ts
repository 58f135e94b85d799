import type { Message } from '../../module-api.ts';
import {
  looseShortening,
  pieceJsonCharsMax,
  recentTurnsMin,
  recentTurnsShareMax,
  recordCharsMin,
  shortenedShare,
  tightShortening,
} from './limits.ts';
import { blocksOf, charsOf } from './text/blocks.ts';
import { extractRecord } from './text/record.ts';
import { collectMentionedNames, shortenMessage } from './text/shorten.ts';
import { type Piece, sum } from './view.ts';

/** A record that was written before it was needed. */
export interface WrittenRecord {
  readonly to: number;
  readonly text: string;
}

/** A conversation that has to be made smaller. */
export interface PlanInput {
  readonly messages: readonly Message[];
  /** Of each of them. */
  readonly chars: readonly number[];
  /** Of tools and instructions, which stay. */
  readonly fixedChars: number;
  readonly keepTurns: number;
  /** A name for a message or a stretch of them, under which they can be read. */
  ref(from: number, to?: number): string;
  /** A record that somebody else wrote, where there is one that begins here. */
  readonly findWrittenRecord?: ((from: number, to: number) => WrittenRecord | undefined) | undefined;
}

interface PlanBounds {
  readonly base?: readonly Piece[];
  /** No more than this is to be sent anew. */
  readonly writesChars?: number;
  /** What comes before this message is to stay. */
  readonly since?: number;
}

/**
 * Pieces behind `base`, which stays, so that all of it takes no more than `goalChars` where that can be had. With `writesChars`
 * or `since` results are shortened only, from as far back as these allow.
 */
export function planPieces(
  planInput: PlanInput,
  goalChars: number,
  { base = [], writesChars, since }: PlanBounds = {},
): readonly Piece[] | undefined {
  const start = base.at(-1)?.to ?? 0;
  const kept = recentTurnsStart(planInput, goalChars);
  if (kept <= start) return undefined;
  const left =
    goalChars - planInput.fixedChars - sum(base.map(({ chars }) => chars)) - sum(planInput.chars.slice(kept));
  const mentioned = collectMentionedNames(planInput.messages.slice(kept));
  const isBound = writesChars !== undefined || since !== undefined;
  const how = { ...(isBound ? tightShortening : looseShortening), mentioned };
  const messages = planInput.messages
    .slice(start, kept)
    .map((message, at) => shortenMessage(message, { ...how, ref: () => planInput.ref(start + at) }));
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
    ...recordPieces(planInput, { start, end: split, chars: recordChars }),
    ...shortenedPieces(planInput, recent, split),
  ];
}

/** Results can be shortened where they stand; where there are few of them, the room is better used for a record. */
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

/** Where the newest turns begin, which stay as they are: fewer of them where they are very large. */
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

/** Before an answer, where every call has its result and the user has spoken last: what stands before it can be one message. */
function isTurnStart(messages: readonly Message[], at: number): boolean {
  return messages[at]?.role === 'assistant' && messages[at - 1]?.role === 'user';
}

interface SplitInput {
  readonly start: number;
  readonly end: number;
  readonly chars: readonly number[];
  readonly most: number;
}

/** From where on shortened turns fit into what there is for them. */
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

function recordPieces(
  planInput: PlanInput,
  { start, end, chars }: { readonly start: number; readonly end: number; readonly chars: number },
): readonly Piece[] {
  if (end <= start) return [];
  const ready = planInput.findWrittenRecord?.(start, end);
  if (ready !== undefined) {
    const piece = recordPiece(planInput, { from: start, to: ready.to, text: ready.text });
    const left = Math.max(recordCharsMin, chars - piece.chars);
    return [piece, ...recordPieces(planInput, { start: ready.to, end, chars: left })];
  }
  const pieces: Piece[] = [];
  let from = start;
  let text = '';
  for (const { at, text: line } of extractRecord(planInput.messages.slice(start, end), chars)) {
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

/** What a system says among the messages is no one's to shorten. */
function recordPiece(
  planInput: PlanInput,
  { from, to, text }: { readonly from: number; readonly to: number; readonly text: string },
): Piece {
  const ref = planInput.ref(from, to);
  const told = planInput.messages.slice(from, to).filter(({ role }) => role === 'system');
  const record = { type: 'text' as const, text: `${recordHeading(ref)}\n${text}` };
  const messages: readonly Message[] = [{ role: 'user', content: [record] }, ...told];
  return { kind: 'record', from, to, ref, messages, chars: sum(messages.map(charsOf)) };
}

function recordHeading(ref: string): string {
  return `[Earlier in this conversation, shortened by the gateway; the whole is kept as ${ref}]`;
}
