import { hash } from 'node:crypto';
import { type DecisionLog, type Exchange, isJsonObject, Lru, type Message } from '../../module-api.ts';
import { cachedPiecesMax, decisionBytesMax, viewsTried } from './limits.ts';
import { charsOf } from './text/blocks.ts';
import { removeThoughts } from './text/thoughts.ts';

/** Replaces a range of messages: a record that summarizes them, or the messages themselves, shortened. */
export interface Piece {
  readonly kind: 'record' | 'shortened';
  /** The range of message indexes that it replaces; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** The ref under which the originals can be read. */
  readonly ref: string;
  readonly messages: readonly Message[];
  readonly chars: number;
}

/** How the beginning of a conversation is sent between two compaction steps. */
export interface View {
  /** Contiguous from the first message. */
  readonly pieces: readonly Piece[];
  /** Whether the model has the `recall` tool. */
  readonly hasRecall: boolean;
  /** Messages before this index lose their thinking blocks, which refer to an earlier version of the conversation. */
  readonly since: number;
}

/** Null for a message that is unchanged. */
type StoredMessages = readonly (Message | null)[];

interface StoredPiece extends Omit<Piece, 'messages' | 'chars'> {
  readonly id: string;
}

/** Stores views in the decision logs of their conversations, with each piece under the hash of its content. */
export class ViewStore {
  readonly #pieceCache = new Lru<StoredMessages>(cachedPiecesMax);

  /** The views decided for prefixes of this conversation, the latest first. */
  async load(exchange: Exchange, decisionLog: DecisionLog): Promise<readonly View[]> {
    const { messages } = exchange.request;
    const places = new Map<string, number>();
    for (let at = messages.length; at > 0; at--) {
      if (at < messages.length && messages[at]?.role !== 'assistant') continue;
      for (const isRefused of [true, false]) places.set(decisionKey(exchange, { at, isRefused }), at);
    }
    const views: View[] = [];
    for (const [key, stored] of await decisionLog.getAll([...places.keys()])) {
      const view = await this.#parse(stored, exchange, { decisionLog, at: places.get(key) ?? 0 });
      if (view !== undefined && views.push(view) === viewsTried) break;
    }
    return views;
  }

  /**
   * Of two concurrent decisions the first wins. After the provider rejected a view, one more can be decided.
   * Undefined if a piece is too large for the decision log.
   */
  async decide(
    exchange: Exchange,
    view: View,
    { decisionLog, isRefused = false }: { readonly decisionLog: DecisionLog; readonly isRefused?: boolean },
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
    const key = decisionKey(exchange, { at, isRefused });
    const decided = await decisionLog.decideOnce(key, () => ({ pieces, hasRecall, since }));
    return this.#parse(decided, exchange, { decisionLog, at });
  }

  async #parse(
    stored: unknown,
    exchange: Exchange,
    { decisionLog, at: decidedAt }: { readonly decisionLog: DecisionLog; readonly at: number },
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

/** Replaces messages by the pieces of a view. Consecutive records become one message. */
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

/** Removes thinking blocks from the messages before `since`. */
export function removeThoughtsBefore(messages: readonly Message[], since: number): readonly Message[] {
  return messages.map((message, at) => (at < since ? removeThoughts(message) : message));
}

/** The index of the first message that a view doesn't cover. */
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

/** Messages survive the JSON round trip unchanged. */
function parseStoredMessages(stored: unknown): StoredMessages | undefined {
  return Array.isArray(stored) && stored.every((one) => one === null || isMessage(one)) ? stored : undefined;
}

function isMessage(stored: unknown): stored is Message {
  return isJsonObject(stored) && typeof stored.role === 'string' && stored.content !== undefined;
}
