import { hash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson, defineCollection, Lru, type ModuleStore } from '../../module-api.ts';
import { limits } from './limits.ts';
import { type ListedTool, parseListedTools } from './listed-tool.ts';

/** The lists that conversations have, by digest: most have the same one. */
export const toolLists = defineCollection({
  name: 'lists',
  value: z.array(z.unknown()),
  fields: {},
  lifeSeconds: limits.listLifeSeconds,
  bytesMax: limits.listsBytesMax,
  valueBytesMax: limits.listBytesMax,
});

interface Tenant {
  readonly scope: string;
  readonly store: ModuleStore;
}

export class ToolLists {
  readonly #inMemory = new Lru<readonly ListedTool[]>(limits.listsInMemoryMax);

  /** The digest of the list, which finds it again. */
  async add(list: readonly ListedTool[], { scope, store }: Tenant): Promise<string> {
    const digest = digestOfList(list);
    const key = `${scope} ${digest}`;
    if (this.#inMemory.get(key) !== undefined) return digest;
    await store.collection(toolLists).put(digest, { value: [...list], fields: {} });
    this.#inMemory.set(key, list);
    return digest;
  }

  /** Undefined if it has expired. */
  async find(digest: string, { scope, store }: Tenant): Promise<readonly ListedTool[] | undefined> {
    const key = `${scope} ${digest}`;
    const known = this.#inMemory.get(key);
    if (known !== undefined) return known;
    const list = parseListedTools((await store.collection(toolLists).get(digest))?.value);
    if (list !== undefined) this.#inMemory.set(key, list);
    return list;
  }
}

export function digestOfList(list: readonly ListedTool[]): string {
  return hash('sha256', canonicalJson(list), 'base64url');
}
