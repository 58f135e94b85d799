import {
  blocksOf,
  type CacheControl,
  type ChatRequest,
  cacheMarkersMax,
  canBeMarked,
  countMarkers,
  type MarkerPosition,
  type Message,
  requestMarkerOf,
  setMarker,
} from '../../module-api.ts';
import { lookbackBlocks } from './limits.ts';

/** What a call should write to the provider's cache, and read from it. */
export interface MarkerPlan {
  /** Mark the end of the newest turn. */
  readonly newest: boolean;
  /** Mark the end of what the last call sent. */
  readonly previous: boolean;
  /** Mark the ends of tools and of instructions or, if these are in two pieces, of the piece that others share. */
  readonly head: boolean;
  /** Whether the first of two pieces of instructions is shared, and the second may be marked, too. */
  readonly isShared: boolean;
  readonly marksOwnPiece: boolean;
  readonly lifetime: '5m' | '1h';
}

/** A request with the markers of a plan, besides those of the client; the request itself if none is added. */
export function placeMarkers(request: ChatRequest, plan: MarkerPlan): ChatRequest {
  const { outside, inside, places } = countMarkers(request);
  const room = cacheMarkersMax - outside - inside;
  if (room <= 0) return request;
  const newest = lastMarkable(request.messages, request.messages.length);
  const previous = lastMarkable(request.messages, answeredIndex(request.messages));
  const requestMarker = requestMarkerOf(request);
  const clientsLast = requestMarker === undefined ? places.at(-1) : newest;
  const isFollowed = clientsLast !== undefined && clientsLast.message >= (previous?.message ?? 0);
  if (isFollowed) return bridgeLookback(request, previous, clientsLast);
  const isMarkedBefore = outside > 0 || clientsLast !== undefined;
  const marker = markerFor(plan.lifetime, isMarkedBefore);
  const wanted = [
    ...(plan.newest && newest !== undefined ? [newest] : []),
    ...(plan.previous && previous !== undefined ? [previous] : []),
  ].slice(0, room);
  const marked = markMessages(request, wanted, marker);
  return plan.head && !isMarkedBefore
    ? markHead(marked, plan, { marker, room: room - wanted.length })
    : marked;
}

/** Behind a marker of the client for five minutes, which is the default, none may be for longer. */
function markerFor(lifetime: '5m' | '1h', isBehindOthers: boolean): CacheControl {
  return lifetime === '1h' && !isBehindOthers ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' };
}

/**
 * A client that marks its newest turn needs help only if that turn is so long that the provider no longer finds what the last
 * call wrote. A marker before another one costs nothing.
 */
function bridgeLookback(
  request: ChatRequest,
  previous: MarkerPosition | undefined,
  clientsLast: MarkerPosition,
): ChatRequest {
  if (previous === undefined || previous.message >= clientsLast.message) return request;
  if (countBlocks(request.messages, previous, clientsLast) < lookbackBlocks) return request;
  const { content } = request.messages[clientsLast.message] ?? {};
  const block = typeof content === 'string' ? undefined : content?.[clientsLast.block];
  const ttl =
    block !== undefined && 'cache_control' in block ? block.cache_control : requestMarkerOf(request);
  return markMessages(request, [previous], ttl ?? { type: 'ephemeral' });
}

function markMessages(
  request: ChatRequest,
  positions: readonly MarkerPosition[],
  marker: CacheControl,
): ChatRequest {
  if (positions.length === 0) return request;
  const messages = [...request.messages];
  for (const { message: at, block } of positions) {
    const message = messages[at];
    if (message !== undefined) messages[at] = setMarker(message, block, marker);
  }
  return { ...request, messages };
}

interface MarkerBudget {
  readonly marker: CacheControl;
  /** How many markers may be set. */
  readonly room: number;
}

/** A marker on instructions includes the tools, whose own one helps calls with other instructions. */
function markHead(
  request: ChatRequest,
  { isShared, marksOwnPiece }: MarkerPlan,
  { marker, room }: MarkerBudget,
): ChatRequest {
  const { system, tools } = request;
  const blocks = typeof system === 'string' ? [{ type: 'text' as const, text: system }] : (system ?? []);
  const end = blocks.findLastIndex(canBeMarked);
  const own = isShared && !marksOwnPiece ? [] : [end];
  const ends = [...(isShared ? [0] : []), ...own].filter((at) => at >= 0).slice(0, room);
  const last = tools?.findLastIndex(({ defer_loading }) => defer_loading !== true) ?? -1;
  return {
    ...request,
    ...(ends.length > 0 && {
      system: blocks.map((block, at) => (ends.includes(at) ? { ...block, cache_control: marker } : block)),
    }),
    ...(room > ends.length &&
      last >= 0 && {
        tools: (tools ?? []).map((tool, at) => (at === last ? { ...tool, cache_control: marker } : tool)),
      }),
  };
}

/** The index of the latest answer: the last call sent what is before it. */
export function answeredIndex(messages: readonly Message[]): number {
  let at = messages.findLastIndex(({ role }) => role === 'assistant');
  while (at > 0 && messages[at - 1]?.role === 'assistant') at--;
  return Math.max(0, at);
}

/** The last block of a user's message before this index that can be marked. */
function lastMarkable(messages: readonly Message[], before: number): MarkerPosition | undefined {
  for (let message = before - 1; message >= 0; message--) {
    const one = messages[message];
    if (one === undefined || one.role !== 'user') continue;
    const block = blocksOf(one).findLastIndex(canBeMarked);
    if (block >= 0) return { message, block };
  }
  return undefined;
}

/** The blocks from one position to another. */
function countBlocks(messages: readonly Message[], from: MarkerPosition, to: MarkerPosition): number {
  let count = to.block - from.block;
  for (let at = from.message; at < to.message; at++) {
    const message = messages[at];
    count += message === undefined ? 0 : blocksOf(message).length;
  }
  return count;
}
