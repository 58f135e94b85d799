import type { Block, CacheControl, ChatRequest, Tool } from '../message.ts';

/** What a request asks of its provider's prompt cache. */
export interface CacheMarks {
  readonly isMarked: boolean;
  /** Whether a mark asks for a lifetime of an hour. */
  readonly hasHour: boolean;
}

export function cacheMarksOf({ tools = [], system, messages }: ChatRequest): CacheMarks {
  const marks = [
    ...tools.flatMap(marksIn),
    ...(Array.isArray(system) ? system.flatMap(marksIn) : []),
    ...messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content.flatMap(marksIn))),
  ];
  return { isMarked: marks.length > 0, hasHour: marks.some(({ ttl }) => ttl === '1h') };
}

function marksIn(part: Tool | Block): readonly CacheControl[] {
  const inner = 'content' in part && Array.isArray(part.content) ? part.content.flatMap(marksIn) : none;
  const own = 'cache_control' in part ? part.cache_control : undefined;
  return own == null ? inner : [own, ...inner];
}

const none: readonly never[] = [];
