import { GatewayError } from '../kernel/errors.ts';
import type { StoredObjectPage, StoredObjectQuery } from '../kernel/stored-object.ts';
import type { JsonObject } from '../lib/json.ts';
import { limits } from './limits.ts';

/** The number of objects that a query asks for; no page is longer than the gateway's own. */
function limitIn(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1)
    throw new GatewayError('invalid_request', `"${name}" must be a whole number above 0`, { param: name });
  return Math.min(limit, limits.storedObjectPageMax);
}

/** The page that OpenAI's lists of files and batches ask for. */
export function openaiQuery(query: URLSearchParams): StoredObjectQuery {
  return {
    limit: limitIn(query, 'limit', limits.storedObjectPageMax),
    after: query.get('after') ?? undefined,
    isOldestFirst: query.get('order') === 'asc',
    purpose: query.get('purpose') ?? undefined,
  };
}

export function openaiPage(page: StoredObjectPage): JsonObject {
  return { object: 'list', ...cursorPage(page) };
}

export function anthropicQuery(query: URLSearchParams): StoredObjectQuery {
  return {
    limit: limitIn(query, 'limit', limits.anthropicObjectPage),
    // Files have the newer names, batches the older ones.
    after: query.get('page') ?? query.get('after_id') ?? undefined,
    before: query.get('before_id') ?? undefined,
    ...(query.has('ids[]') && { ids: query.getAll('ids[]').slice(0, limits.storedObjectPageMax) }),
  };
}

export function anthropicPage(page: StoredObjectPage): JsonObject {
  return { ...cursorPage(page), next_page: page.hasMore ? (page.objects.at(-1)?.id ?? null) : null };
}

function cursorPage({ objects, hasMore }: StoredObjectPage): JsonObject {
  return {
    data: objects.map(({ value }) => value),
    first_id: objects[0]?.id ?? null,
    last_id: objects.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

export function geminiQuery(query: URLSearchParams): StoredObjectQuery {
  return {
    limit: limitIn(query, 'pageSize', limits.geminiObjectPage),
    after: query.get('pageToken') ?? undefined,
  };
}

/** A page of Google's lists; its token is the last object's id. */
export function geminiPage(field: string, { objects, hasMore }: StoredObjectPage): JsonObject {
  const last = objects.at(-1)?.id;
  return {
    [field]: objects.map(({ value }) => value),
    ...(hasMore && last !== undefined && { nextPageToken: last }),
  };
}

/** The part of a path before what is done with the object: the id in `file-1/content` or `abc:download`. */
export function firstSegment(rest: string): string {
  return /^[^/:]*/.exec(rest)?.[0] ?? '';
}
