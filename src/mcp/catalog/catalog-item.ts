import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { ListName } from '../upstream/server-connection.ts';
import type { Naming } from './names.ts';

/** A tool, prompt, resource or template of a server. */
export interface CatalogItem {
  /** The name or address at the gateway. */
  readonly name: string;
  /** The same at the server. */
  readonly ownName: string;
  /** The server's own definition. */
  readonly definition: JsonObject;
  /** The definition as clients of the gateway see it, serialized once. */
  readonly json: string;
}

/** The field that names the items of a list. */
export const nameFields = {
  tools: 'name',
  prompts: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
} as const satisfies Record<ListName, string>;

/** The items of a server by their names at the gateway, in the order of these. Of items with the same name, the first counts. */
export function catalogItems(
  definitions: readonly JsonObject[],
  { list, server, naming }: { readonly list: ListName; readonly server: string; readonly naming: Naming },
): ReadonlyMap<string, CatalogItem> {
  const field = nameFields[list];
  const items = new Map<string, CatalogItem>();
  for (const definition of definitions) {
    const ownName = definition[field];
    if (typeof ownName !== 'string' || ownName === '') continue;
    const name = field === 'name' ? naming.nameOf(server, ownName) : naming.uriOf(server, ownName);
    if (items.has(name)) continue;
    const shown = { ...withoutUnsafeMeta(definition), [field]: name };
    items.set(name, { name, ownName, definition, json: JSON.stringify(shown) });
  }
  return new Map([...items].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** What only the gateway may say. */
function withoutUnsafeMeta(definition: JsonObject): JsonObject {
  const { _meta: meta, ...rest } = definition;
  if (!isJsonObject(meta)) return rest;
  const kept = Object.fromEntries(Object.entries(meta).filter(([name]) => !name.startsWith('weir/')));
  return Object.keys(kept).length === 0 ? rest : { ...definition, _meta: kept };
}
