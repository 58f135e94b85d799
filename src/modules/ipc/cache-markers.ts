import type { Block, CacheControl, ChatRequest, Message } from '../../module-api.ts';

const markersMax = 4;

/** The indexes of a message and of its block that carries a marker. */
export interface MarkerPosition {
  readonly message: number;
  readonly block: number;
}

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
    if (count >= markersMax) {
      const [first, ...others] = surplus;
      if (first === undefined) break;
      count -= countBlockMarkers(messages[first.message], first.block);
      const message = messages[first.message];
      if (message !== undefined) messages[first.message] = setMarker(message, first.block, undefined);
      surplus = others;
      if (count >= markersMax) break;
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

/** A request-level `cache_control` counts as a marker. */
function countMarkers(request: ChatRequest): {
  readonly outside: number;
  readonly inside: number;
  readonly places: readonly MarkerPosition[];
} {
  const { tools = [], system, messages } = request;
  const head = [...tools, ...(typeof system === 'string' ? [] : (system ?? []))];
  const places = messages.flatMap(({ content }, message) =>
    typeof content === 'string'
      ? []
      : content.flatMap((one, block) => (markerOf(one) === undefined ? [] : [{ message, block }])),
  );
  const ofCall = 'cache_control' in request && request.cache_control != null ? 1 : 0;
  return {
    outside: ofCall + head.filter(({ cache_control }) => cache_control != null).length,
    inside: places.reduce((sum, { message, block }) => sum + countBlockMarkers(messages[message], block), 0),
    places,
  };
}

/** Markers on a block, including the parts of a tool result. */
function countBlockMarkers(message: Message | undefined, at: number): number {
  const block = typeof message?.content === 'string' ? undefined : message?.content[at];
  if (block === undefined) return 0;
  const parts = block.type === 'tool_result' && Array.isArray(block.content) ? block.content : [];
  return [block, ...parts].filter((part) => 'cache_control' in part && part.cache_control != null).length;
}

/** The marker of a block or of a part of a tool result. */
function markerOf(block: Block): CacheControl | undefined {
  if ('cache_control' in block && block.cache_control != null) return block.cache_control;
  if (block.type !== 'tool_result' || !Array.isArray(block.content)) return undefined;
  return block.content.map((part: Block) => markerOf(part)).find((marker) => marker !== undefined);
}

function setMarker(message: Message, at: number, marker: CacheControl | undefined): Message {
  const content: readonly Block[] =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  return {
    ...message,
    content: content.map((block, index) => (index === at ? markBlock(block, marker) : block)),
  };
}

function markBlock(block: Block, marker: CacheControl | undefined): Block {
  if (block.type === 'thinking' || block.type === 'redacted_thinking') return block;
  if (block.type === 'text' && block.text === '') return block;
  const { cache_control: _, ...plain } = block;
  const inner =
    plain.type === 'tool_result' && Array.isArray(plain.content)
      ? { ...plain, content: plain.content.map((part: Block) => markBlock(part, undefined)) }
      : plain;
  return marker === undefined ? inner : { ...inner, cache_control: marker };
}
