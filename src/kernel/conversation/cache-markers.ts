import { isJsonObject } from '../../lib/json.ts';
import type { Block, CacheControl, ChatRequest, Message } from '../message.ts';

/** Providers reject a request with more markers. */
export const cacheMarkersMax = 4;

/** The indexes of a message and of its block that carries a marker. */
export interface MarkerPosition {
  readonly message: number;
  readonly block: number;
}

/** The markers of a request by their place. */
export interface CountedMarkers {
  /** On tools and instructions, and one for the request itself. */
  readonly outside: number;
  /** In messages. */
  readonly inside: number;
  readonly places: readonly MarkerPosition[];
}

/** A request-level `cache_control` counts as a marker. */
export function countMarkers(request: ChatRequest): CountedMarkers {
  const { tools = [], system, messages } = request;
  const head = [...tools, ...(typeof system === 'string' ? [] : (system ?? []))];
  const places = messages.flatMap(({ content }, message) =>
    typeof content === 'string'
      ? []
      : content.flatMap((one, block) => (markerOf(one) === undefined ? [] : [{ message, block }])),
  );
  const ofCall = requestMarkerOf(request) === undefined ? 0 : 1;
  return {
    outside: ofCall + head.filter(({ cache_control }) => cache_control != null).length,
    inside: places.reduce((sum, { message, block }) => sum + countBlockMarkers(messages[message], block), 0),
    places,
  };
}

/** The marker of the request itself, which stands for one on its last block. */
export function requestMarkerOf(request: ChatRequest): CacheControl | undefined {
  const marker: unknown = 'cache_control' in request ? request.cache_control : undefined;
  if (!isJsonObject(marker)) return undefined;
  return marker.ttl === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' };
}

/** Markers on a block, including the parts of a tool result. */
export function countBlockMarkers(message: Message | undefined, at: number): number {
  const block = typeof message?.content === 'string' ? undefined : message?.content[at];
  if (block === undefined) return 0;
  const parts = block.type === 'tool_result' && Array.isArray(block.content) ? block.content : [];
  return [block, ...parts].filter((part) => 'cache_control' in part && part.cache_control != null).length;
}

/** The marker of a block or of a part of a tool result. */
export function markerOf(block: Block): CacheControl | undefined {
  if ('cache_control' in block && block.cache_control != null) return block.cache_control;
  if (block.type !== 'tool_result' || !Array.isArray(block.content)) return undefined;
  return block.content.map((part: Block) => markerOf(part)).find((marker) => marker !== undefined);
}

/** Sets or removes the marker of a block. */
export function setMarker(message: Message, at: number, marker: CacheControl | undefined): Message {
  const content: readonly Block[] =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  return {
    ...message,
    content: content.map((block, index) => (index === at ? markBlock(block, marker) : block)),
  };
}

/** Whether providers accept a marker on the block. */
export function canBeMarked(block: Block): boolean {
  if (block.type === 'text') return block.text.trim() !== '';
  return ['image', 'document', 'tool_use', 'tool_result'].includes(block.type);
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
