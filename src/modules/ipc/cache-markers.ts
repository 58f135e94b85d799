import {
  type CacheControl,
  type ChatRequest,
  cacheMarkersMax,
  countBlockMarkers,
  countMarkers,
  type MarkerPosition,
  type Message,
  markerOf,
  setMarker,
} from '../../module-api.ts';

/**
 * Adds cache markers at the ends of a view, so that the next step finds its prefix cached. Drops the client's oldest markers if
 * there are too many. Only for clients that use markers.
 */
export function placeMarkers(
  request: ChatRequest,
  ends: readonly MarkerPosition[],
  client: ChatRequest,
): ChatRequest {
  const pattern = latestMarkerOf(client);
  if (pattern === undefined || ends.length === 0) return request;
  const counted = countMarkers(request);
  const messages = [...request.messages];
  let count = counted.outside + counted.inside;
  let surplus = counted.places.slice(0, -1);
  // The end of the view first, then the end of the piece before.
  for (const end of [...ends].reverse().slice(0, 2)) {
    if (count >= cacheMarkersMax) {
      const [first, ...others] = surplus;
      if (first === undefined) break;
      count -= countBlockMarkers(messages[first.message], first.block);
      const message = messages[first.message];
      if (message !== undefined) messages[first.message] = setMarker(message, first.block, undefined);
      surplus = others;
      if (count >= cacheMarkersMax) break;
    }
    const message = messages[end.message];
    if (message === undefined) continue;
    const before = countBlockMarkers(message, end.block);
    messages[end.message] = setMarker(message, end.block, pattern);
    count += countBlockMarkers(messages[end.message], end.block) - before;
  }
  return { ...request, messages };
}

/** Whether the client sets cache markers; then the provider caches nothing else. */
export function hasMarkers(request: ChatRequest): boolean {
  return latestMarkerOf(request) !== undefined;
}

/**
 * Marker positions in a conversation without a view, so that a first step needn't rewrite all of it: the two latest ends of
 * calls that are `apart` characters from each other. They advance with the conversation.
 */
export function findAnchors(
  messages: readonly Message[],
  chars: readonly number[],
  apart: number,
): readonly MarkerPosition[] {
  const anchors: MarkerPosition[] = [];
  let size = 0;
  let next = apart;
  for (const [at, message] of messages.entries()) {
    size += chars[at] ?? 0;
    if (size < next || message.role !== 'user' || messages[at + 1]?.role === 'user') continue;
    const block = typeof message.content === 'string' ? 0 : message.content.length - 1;
    anchors.push({ message: at, block });
    next = (Math.floor(size / apart) + 1) * apart;
  }
  return anchors.slice(-2);
}

const latestMarkers = new WeakMap<ChatRequest, { readonly marker: CacheControl | undefined }>();

/** The last marker has the shortest TTL: only earlier ones may have a longer one. */
function latestMarkerOf(request: ChatRequest): CacheControl | undefined {
  const known = latestMarkers.get(request) ?? { marker: findLatestMarker(request) };
  latestMarkers.set(request, known);
  return known.marker;
}

function findLatestMarker({ tools = [], system, messages }: ChatRequest): CacheControl | undefined {
  for (let at = messages.length - 1; at >= 0; at--) {
    const { content = '' } = messages[at] ?? {};
    if (typeof content === 'string') continue;
    const marked = content.findLast((block) => markerOf(block) !== undefined);
    if (marked !== undefined) return markerOf(marked);
  }
  const head = [...tools, ...(typeof system === 'string' ? [] : (system ?? []))];
  return head.findLast(({ cache_control }) => cache_control != null)?.cache_control;
}
