import type { CatalogView, MergedList } from '../catalog/catalog-view.ts';
import { limits as catalogLimits } from '../catalog/limits.ts';
import type { ListName } from '../upstream/server-connection.ts';
import { codes, ProtocolError } from './protocol-error.ts';

export const listMethods: Readonly<Record<string, ListName>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};

/** A page of a list as JSON. `more` has further fields of the result, as JSON without braces. */
export async function listPage(
  view: CatalogView,
  list: ListName,
  cursor: unknown,
  more: (merged: MergedList) => string,
): Promise<string> {
  const after = cursor === undefined ? undefined : nameOfCursor(cursor);
  const merged = await view.list(list);
  const rest = after === undefined ? merged.items : merged.items.filter(({ item }) => item.name > after);
  const page = rest.slice(0, catalogLimits.pageItemsMax);
  const last = page.at(-1);
  const next =
    last === undefined || page.length === rest.length
      ? ''
      : `,"nextCursor":${JSON.stringify(cursorOf(last.item.name))}`;
  return `{"${list}":[${page.map(({ item }) => item.json).join(',')}]${next}${more(merged)}}`;
}

/** The next page begins behind a name, so it is right on any replica and while items come and go. */
function cursorOf(name: string): string {
  return Buffer.from(name).toString('base64url');
}

function nameOfCursor(cursor: unknown): string {
  if (typeof cursor === 'string' && cursor !== '' && cursor.length <= catalogLimits.cursorCharactersMax) {
    const name = Buffer.from(cursor, 'base64url').toString('utf8');
    if (cursorOf(name) === cursor) return name;
  }
  throw new ProtocolError(codes.invalidParams, 'the cursor is not one that this gateway gave', {
    status: 200,
  });
}
