import { hash } from 'node:crypto';
import { type DecisionLog, type Exchange, isJsonObject, Lru, type Message } from '../../module-api.ts';
import { cachedPiecesMax, decisionBytesMax, viewsTried } from './limits.ts';
import { charsOf } from './text/blocks.ts';
import { removeThoughts } from './text/thoughts.ts';

/** What stands for a stretch of messages: a record of what was said in them, or they themselves with less in them. */
export interface Piece {
  readonly kind: 'record' | 'shortened';
  /** Indexes of the messages that it stands for: from this one to before that one. */
  readonly from: number;
  readonly to: number;
  /** Under which they can be read. */
  readonly ref: string;
  readonly messages: readonly Message[];
  readonly chars: number;
}

/** How the beginning of a conversation is sent, from a step on to the next. */
export interface View {
  /** One behind the other, from the first message on. */
  readonly pieces: readonly Piece[];
  /** Whether the model was given a tool to read what was left out. */
  readonly hasRecall: boolean;
  /** Messages before this one were thought about another past, so that their thoughts are gone. */
  readonly since: number;
}

/** Null for a message that stands as the client sent it. */
type StoredMessages = readonly (Message | null)[];

interface StoredPiece extends Omit<Piece, 'messages' | 'chars'> {
  readonly id: string;
}

/** Views of conversations, kept in their ledgers: pieces under names made of what is in them, and which of them are sent. */
export class ViewStore {
  readonly #pieceCache = new Lru<StoredMessages>(cachedPiecesMax);

  /** Those that were decided on the way to here, the latest first. `exchange` has the messages that they are about. */
  async load(exchange: Exchange, decisionLog: DecisionLog): Promise<readonly View[]> {
    const { messages } = exchange.request;
    const views: View[] = [];
    for (let at = messages.length; at > 0 && views.length < viewsTried; at--) {
      if (at < messages.length && messages[at]?.role !== 'assistant') continue;
      for (const isRefused of [true, false]) {
        const stored = await decisionLog.get(decisionKey(exchange, { at, isRefused }));
        const view = await this.#parse(stored, exchange, { ledger: decisionLog, at });
        if (view !== undefined) views.push(view);
      }
    }
    return views;
  }

  /**
   * Of two who decide at the same time, the first is right; where its provider has refused what was decided, there is one
   * decision more. Undefined where the ledger has no room for it.
   */
  async decide(
    exchange: Exchange,
    view: View,
    {
      ledger: decisionLog,
      isRefused = false,
    }: { readonly ledger: DecisionLog; readonly isRefused?: boolean },
  ): Promise<View | undefined> {
    const pieces: StoredPiece[] = [];
    for (const { kind, from, to, ref, messages } of view.pieces) {
      const stored = messages.map((message, at) =>
        message === exchange.request.messages[from + at] ? null : message,
      );
      const json = JSON.stringify(stored);
      if (Buffer.byteLength(json) > decisionBytesMax) return undefined;
      const id = hash('sha256', json, 'base64url').slice(0, 22);
      this.#pieceCache.set(id, stored);
      await decisionLog.decideOnce(`piece:${id}`, () => stored);
      pieces.push({ kind, from, to, ref, id });
    }
    const { hasRecall, since } = view;
    const at = exchange.request.messages.length;
    const place = decisionKey(exchange, { at, isRefused });
    const decided = await decisionLog.decideOnce(place, () => ({ pieces, hasRecall, since }));
    return this.#parse(decided, exchange, { ledger: decisionLog, at });
  }

  async #parse(
    stored: unknown,
    exchange: Exchange,
    { ledger: decisionLog, at: decidedAt }: { readonly ledger: DecisionLog; readonly at: number },
  ): Promise<View | undefined> {
    if (!isJsonObject(stored) || !Array.isArray(stored.pieces)) return undefined;
    const pieces: Piece[] = [];
    for (const piece of stored.pieces) {
      if (!isStoredPiece(piece)) return undefined;
      const { id, kind, from, to, ref } = piece;
      const own = this.#pieceCache.get(id) ?? parseStoredMessages(await decisionLog.get(`piece:${id}`));
      if (own === undefined) return undefined;
      this.#pieceCache.set(id, own);
      const messages = own.flatMap((one, at) => one ?? exchange.request.messages[from + at] ?? []);
      pieces.push({ kind, from, to, ref, messages, chars: sum(messages.map(charsOf)) });
    }
    const since = typeof stored.since === 'number' ? stored.since : decidedAt;
    return { pieces, hasRecall: stored.hasRecall === true, since };
  }
}

/** The messages as a view shows them. Records that follow on each other are one message. */
export function applyView(view: View | undefined, messages: readonly Message[]): readonly Message[] {
  if (view === undefined) return messages;
  const all: Message[] = [];
  let isAfterRecord = false;
  for (const { kind, messages: own } of view.pieces) {
    for (const message of own) {
      const before = isAfterRecord && kind === 'record' ? all.at(-1) : undefined;
      if (before?.role === 'user' && message.role === 'user')
        all[all.length - 1] = { role: 'user', content: [...contentOf(before), ...contentOf(message)] };
      else all.push(message);
    }
    isAfterRecord = kind === 'record';
  }
  return [...all, ...removeThoughtsBefore(messages, view.since).slice(viewEndOf(view))];
}

/** The messages without what was thought before one of them. */
export function removeThoughtsBefore(messages: readonly Message[], since: number): readonly Message[] {
  return messages.map((message, at) => (at < since ? removeThoughts(message) : message));
}

/** The index of the first message that a view says nothing about. */
function viewEndOf(view: View | undefined): number {
  return view?.pieces.at(-1)?.to ?? 0;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function contentOf({ content }: Message) {
  return typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
}

function decisionKey(
  { conversation }: Exchange,
  { at, isRefused }: { readonly at: number; readonly isRefused: boolean },
): string {
  return `${isRefused ? 'smaller' : 'view'}:${conversation.digestAt(at)}`;
}

function isStoredPiece(piece: unknown): piece is StoredPiece {
  return (
    isJsonObject(piece) &&
    typeof piece.id === 'string' &&
    typeof piece.ref === 'string' &&
    typeof piece.from === 'number' &&
    typeof piece.to === 'number' &&
    (piece.kind === 'record' || piece.kind === 'shortened')
  );
}

/** As they were written; JSON gives them back as they were. */
function parseStoredMessages(stored: unknown): StoredMessages | undefined {
  return Array.isArray(stored) && stored.every((one) => one === null || isMessage(one)) ? stored : undefined;
}

function isMessage(stored: unknown): stored is Message {
  return isJsonObject(stored) && typeof stored.role === 'string' && stored.content !== undefined;
}
