import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { limits } from './limits.ts';
import { headerParametersOf } from './parameter-headers.ts';
import type { ListName, ServerList } from './server-connection.ts';
import { failedError, quoted } from './server-errors.ts';

interface ListKind {
  readonly method: string;
  readonly field: string;
  /** What names an item, and no two of them. */
  readonly key: string;
  readonly capability: string;
  readonly charactersMax: number;
}

export const listKinds: Readonly<Record<ListName, ListKind>> = {
  tools: kindOf('tools/list', 'tools', 'name'),
  prompts: kindOf('prompts/list', 'prompts', 'name'),
  resources: { ...kindOf('resources/list', 'resources', 'uri'), charactersMax: limits.uriCharactersMax },
  resourceTemplates: {
    ...kindOf('resources/templates/list', 'resourceTemplates', 'uriTemplate'),
    capability: 'resources',
    charactersMax: limits.uriCharactersMax,
  },
};

function kindOf(method: string, field: string, key: string): ListKind {
  return { method, field, key, capability: field, charactersMax: limits.nameCharactersMax };
}

/** Reads all pages of a list. Items that break a rule are left out; a list without an end is an error. */
export async function readList(
  server: string,
  list: ListName,
  request: (method: string, params: JsonObject) => Promise<JsonObject>,
): Promise<ServerList> {
  const { method, field } = listKinds[list];
  const reader = new ItemReader(server, list);
  const cursors = new Set<string>();
  let ttlMs = Number.POSITIVE_INFINITY;
  let isPublic = true;
  let cursor: string | undefined;
  do {
    const page = await request(method, cursor === undefined ? {} : { cursor });
    const items = page[field];
    if (!Array.isArray(items)) throw failedError(server, `answered ${method} without "${field}"`);
    reader.add(items);
    ttlMs = Math.min(ttlMs, ttlOf(page.ttlMs));
    isPublic &&= page.cacheScope === 'public';
    const next = page.nextCursor;
    cursor = typeof next === 'string' ? next : undefined;
    if (cursor === undefined) break;
    if (
      cursors.has(cursor) ||
      cursors.size + 1 >= limits.listPagesMax ||
      cursor.length > limits.cursorCharactersMax
    )
      throw failedError(
        server,
        `has no end of ${method}: a page refers to an earlier one, or there are more than ${limits.listPagesMax}`,
      );
    cursors.add(cursor);
  } while (cursor !== undefined);
  return { ...reader.list(), ttlMs, cacheScope: isPublic ? 'public' : 'private' };
}

/** Collects the items of a list that can be offered. */
class ItemReader {
  readonly #server: string;
  readonly #kind: ListKind;
  readonly #items = new Map<string, JsonObject>();
  readonly #leftOut: string[] = [];
  #bytes = 0;

  constructor(server: string, list: ListName) {
    this.#server = server;
    this.#kind = listKinds[list];
  }

  add(items: readonly unknown[]): void {
    const { method, key, charactersMax } = this.#kind;
    for (const item of items) {
      this.#bytes += Buffer.byteLength(JSON.stringify(item) ?? '');
      if (this.#bytes > limits.listBytesMax)
        throw failedError(this.#server, `answered ${method} with more than ${limits.listBytesMax} bytes`);
      const name = isJsonObject(item) ? item[key] : undefined;
      if (!isJsonObject(item) || typeof name !== 'string') this.#leaveOut(`an item has no "${key}"`);
      else if (name === '' || name.length > charactersMax)
        this.#leaveOut(`"${quoted(name)}" has not 1 to ${charactersMax} characters`);
      else if (!isPlainText(name)) this.#leaveOut(`"${quoted(name)}" has control characters`);
      else if (this.#items.has(name)) this.#leaveOut(`"${quoted(name)}" is in the list twice`);
      else if (method === 'tools/list' && !isJsonObject(item.inputSchema))
        this.#leaveOut(`"${quoted(name)}" has no inputSchema`);
      else if (method === 'tools/list' && headerParametersOf(item.inputSchema) === undefined)
        this.#leaveOut(`"${quoted(name)}" has an x-mcp-header that is against the rules`);
      else this.#items.set(name, item);
      if (this.#items.size > limits.listItemsMax)
        throw failedError(this.#server, `answered ${method} with more than ${limits.listItemsMax} items`);
    }
  }

  list(): Pick<ServerList, 'items' | 'leftOut'> {
    return { items: [...this.#items.values()], leftOut: this.#leftOut };
  }

  #leaveOut(why: string): void {
    if (this.#leftOut.length < limits.leftOutMax) this.#leftOut.push(why);
  }
}

/** The same for lists with the same items in any order: it changes when a name, a description or a schema does. */
export function digestOf(items: readonly JsonObject[]): string {
  const texts = items.map((item) => JSON.stringify(item)).sort();
  return createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 32);
}

function ttlOf(value: unknown): number {
  const isTtl = typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
  return isTtl ? Math.min(value, limits.listTtlMsMax) : 0;
}

/** No control characters, line breaks, marks that turn the direction of text, or halves of characters. */
function isPlainText(text: string): boolean {
  return text.isWellFormed() && !/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(text);
}
