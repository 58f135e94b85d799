import {
  type Block,
  blocksOf,
  type ChatRequest,
  type Exchange,
  type MarkerPosition,
  type Message,
} from '../../module-api.ts';
import { findAnchors, hasMarkers, placeMarkers } from './cache-markers.ts';
import { anchorSpacingShare } from './limits.ts';
import { blockChars, charsOf } from './text/blocks.ts';
import { applyView, sum, type View } from './view.ts';

/** A request as it will be sent. */
export interface RenderedRequest {
  readonly view: View | undefined;
  /** Without markers. */
  readonly messages: readonly Message[];
  readonly request: ChatRequest;
  /** The size, without what the provider is asked to clear. */
  readonly chars: number;
  readonly clearedChars: number;
}

interface RequestRendererParts {
  /** The exchange with big results as first sent. */
  readonly firstSent: Exchange;
  readonly client: ChatRequest;
  /** The size of tools and instructions. */
  readonly fixedChars: number;
  /** The target size of a request, by which anchors are placed; undefined for none. */
  readonly targetChars: number | undefined;
  /** Adds the tool with which a model reads omitted content. */
  addRecallTool(request: ChatRequest): ChatRequest;
}

/** Renders the conversation of a call with a view, and estimates what the provider has cached of it. */
export class RequestRenderer {
  readonly #parts: RequestRendererParts;
  readonly messageCount: number;
  /** The size of tools and instructions. */
  readonly fixedChars: number;
  /** Whether the client sets cache markers. */
  readonly hasClientMarkers: boolean;

  constructor(parts: RequestRendererParts) {
    this.#parts = parts;
    this.messageCount = parts.firstSent.request.messages.length;
    this.fixedChars = parts.fixedChars;
    this.hasClientMarkers = hasMarkers(parts.client);
  }

  render(view: View | undefined): RenderedRequest {
    const { firstSent, client, addRecallTool } = this.#parts;
    const { request } = firstSent;
    const messages = applyView(view, request.messages);
    const chars = this.fixedChars + sum(messages.map(charsOf));
    if (view === undefined || messages === request.messages) {
      const ends = this.hasClientMarkers ? this.#anchors(messages) : [];
      return { view, messages, request: placeMarkers(request, ends, client), chars, clearedChars: 0 };
    }
    const bare = placeMarkers({ ...request, messages }, pieceEndsOf(view), client);
    const sent = view.hasRecall ? addRecallTool(bare) : bare;
    return { view, messages, request: sent, chars, clearedChars: 0 };
  }

  /** Indexes where a step may begin without invalidating the cached prefix. */
  cachedStarts({ view, messages }: RenderedRequest): readonly number[] {
    if (view !== undefined) return [view.pieces.at(-1)?.to ?? 0];
    return this.#anchors(previouslySent(messages)).map(({ message }) => message + 1);
  }

  /** The size of the prefix of `sent` that the provider has cached from `before`. With markers, it caches up to a marker. */
  cachedChars(sent: RenderedRequest, before: RenderedRequest): number {
    const same = sharedPrefixChars(sent.messages, before.messages);
    if (!this.hasClientMarkers) return this.fixedChars + same;
    const places =
      before.view === undefined
        ? this.#anchors(previouslySent(before.messages))
        : pieceEndsOf(before.view).slice(-2);
    const kept = places
      .map((markerPosition) => charsUpTo(before.messages, markerPosition))
      .filter((chars) => chars <= same);
    if (kept.length > 0) return this.fixedChars + Math.max(...kept);
    return hasMarkers({ ...this.#parts.client, messages: [] }) ? this.fixedChars : 0;
  }

  #anchors(messages: readonly Message[]): readonly MarkerPosition[] {
    const apart = (this.#parts.targetChars ?? 0) * anchorSpacingShare;
    return apart === 0 ? [] : findAnchors(messages, messages.map(charsOf), apart);
  }
}

/** The messages of the previous call. */
function previouslySent(messages: readonly Message[]): readonly Message[] {
  return messages.slice(
    0,
    messages.findLastIndex(({ role }) => role === 'assistant'),
  );
}

function charsUpTo(messages: readonly Message[], { message, block }: MarkerPosition): number {
  const last = messages[message];
  const chars = sum(messages.slice(0, message).map(charsOf));
  return last === undefined ? chars : chars + blockChars(blocksOf(last).slice(0, block + 1));
}

/** The size of the common prefix. */
function sharedPrefixChars(one: readonly Message[], other: readonly Message[]): number {
  let chars = 0;
  for (const [at, message] of one.entries()) {
    const before = other[at];
    if (before === undefined) break;
    if (message !== before) return chars + sharedBlockPrefixChars(blocksOf(message), blocksOf(before));
    chars += charsOf(message);
  }
  return chars;
}

function sharedBlockPrefixChars(one: readonly Block[], other: readonly Block[]): number {
  const first = one.findIndex((block, at) => block !== other[at]);
  return blockChars(first < 0 ? one : one.slice(0, first));
}

export function fixedCharsOf({ tools, system }: ChatRequest): number {
  const toolChars = tools === undefined ? 0 : JSON.stringify(tools).length;
  const systemChars = typeof system === 'string' ? system.length : JSON.stringify(system ?? []).length;
  return toolChars + systemChars;
}

/** The ends of the pieces in the rendered messages. */
function pieceEndsOf(view: View): readonly MarkerPosition[] {
  const ends: MarkerPosition[] = [];
  let message = -1;
  let block = 0;
  let isAfterRecord = false;
  let before: Message['role'] | undefined;
  for (const { kind, messages } of view.pieces) {
    for (const one of messages) {
      const count = blocksOf(one).length;
      const isJoined = isAfterRecord && kind === 'record' && before === 'user' && one.role === 'user';
      before = one.role;
      if (isJoined) block += count;
      else {
        message++;
        block = count - 1;
      }
    }
    isAfterRecord = kind === 'record';
    ends.push({ message, block });
  }
  return ends;
}
