import { hash } from 'node:crypto';
import { type Exchange, isJsonObject, type Ledger, Lru, type Message } from '../../module-api.ts';
import { decisionBytesMax, piecesKept, viewsTried } from './limits.ts';
import { charsOf } from './text/blocks.ts';
import { withoutThoughts } from './text/thoughts.ts';

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
type Stored = readonly (Message | null)[];

interface StoredPiece extends Omit<Piece, 'messages' | 'chars'> {
  readonly id: string;
}

/** Views of conversations, kept in their ledgers: pieces under names made of what is in them, and which of them are sent. */
export class Views {
  readonly #ready = new Lru<Stored>(piecesKept);

  /** Those that were decided on the way to here, the latest first. `exchange` has the messages that they are about. */
  async of(exchange: Exchange, ledger: Ledger): Promise<readonly View[]> {
    const { messages } = exchange.request;
    const views: View[] = [];
    for (let at = messages.length; at > 0 && views.length < viewsTried; at--) {
      if (at < messages.length && messages[at]?.role !== 'assistant') continue;
      for (const isRefused of [true, false]) {
        const stored = await ledger.recall(placeOf(exchange, { at, isRefused }));
        const view = await this.#read(stored, exchange, { ledger, at });
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
    { ledger, isRefused = false }: { readonly ledger: Ledger; readonly isRefused?: boolean },
  ): Promise<View | undefined> {
    const pieces: StoredPiece[] = [];
    for (const { kind, from, to, ref, messages } of view.pieces) {
      const stored = messages.map((message, at) =>
        message === exchange.request.messages[from + at] ? null : message,
      );
      const json = JSON.stringify(stored);
      if (Buffer.byteLength(json) > decisionBytesMax) return undefined;
      const id = hash('sha256', json, 'base64url').slice(0, 22);
      this.#ready.set(id, stored);
      await ledger.once(`piece:${id}`, () => stored);
      pieces.push({ kind, from, to, ref, id });
    }
    const { hasRecall, since } = view;
    const at = exchange.request.messages.length;
    const place = placeOf(exchange, { at, isRefused });
    const decided = await ledger.once(place, () => ({ pieces, hasRecall, since }));
    return this.#read(decided, exchange, { ledger, at });
  }

  async #read(
    stored: unknown,
    exchange: Exchange,
    { ledger, at: decidedAt }: { readonly ledger: Ledger; readonly at: number },
  ): Promise<View | undefined> {
    if (!isJsonObject(stored) || !Array.isArray(stored.pieces)) return undefined;
    const pieces: Piece[] = [];
    for (const piece of stored.pieces) {
      if (!isStoredPiece(piece)) return undefined;
      const { id, kind, from, to, ref } = piece;
      const own = this.#ready.get(id) ?? storedIn(await ledger.recall(`piece:${id}`));
      if (own === undefined) return undefined;
      this.#ready.set(id, own);
      const messages = own.flatMap((one, at) => one ?? exchange.request.messages[from + at] ?? []);
      pieces.push({ kind, from, to, ref, messages, chars: sum(messages.map(charsOf)) });
    }
    const since = typeof stored.since === 'number' ? stored.since : decidedAt;
    return { pieces, hasRecall: stored.hasRecall === true, since };
  }
}

/** The messages as a view shows them. Records that follow on each other are one message. */
export function shown(view: View | undefined, messages: readonly Message[]): readonly Message[] {
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
  return [...all, ...thoughtAnew(messages, view.since).slice(endOf(view))];
}

/** The messages without what was thought before one of them. */
export function thoughtAnew(messages: readonly Message[], since: number): readonly Message[] {
  return messages.map((message, at) => (at < since ? withoutThoughts(message) : message));
}

/** The index of the first message that a view says nothing about. */
function endOf(view: View | undefined): number {
  return view?.pieces.at(-1)?.to ?? 0;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function contentOf({ content }: Message) {
  return typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
}

function placeOf(
  { conversation }: Exchange,
  { at, isRefused }: { readonly at: number; readonly isRefused: boolean },
): string {
  return `${isRefused ? 'smaller' : 'view'}:${conversation.at(at)}`;
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
function storedIn(stored: unknown): Stored | undefined {
  return Array.isArray(stored) && stored.every((one) => one === null || isMessage(one)) ? stored : undefined;
}

function isMessage(stored: unknown): stored is Message {
  return isJsonObject(stored) && typeof stored.role === 'string' && stored.content !== undefined;
}
