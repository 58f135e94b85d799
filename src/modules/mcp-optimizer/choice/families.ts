import { serverOf, shortNameOf } from './tool-text.ts';
import { termsOf } from './words.ts';

/** The tools of a larger server are about several things, so they are grouped by what their names are about. */
const serverToolsMax = 12;

/**
 * Groups tools that are used together, by index: those of a small server, and those whose names are about one thing, such as
 * `TaskCreate` and `TaskUpdate`.
 */
export function groupFamilies(names: readonly string[]): readonly (readonly number[])[] {
  const servers = names.map(serverOf);
  const sizes = new Map<string, number>();
  for (const server of servers) if (server !== undefined) sizes.set(server, (sizes.get(server) ?? 0) + 1);
  const families = Map.groupBy(names.keys(), (at) => {
    const [name = '', server = ''] = [names[at], servers[at]];
    const isSmall = server !== '' && (sizes.get(server) ?? 0) <= serverToolsMax;
    return isSmall ? `${server}:` : `${server}:${subjectOf(shortNameOf(name)) ?? name}`;
  });
  return [...families.values()].filter(({ length }) => length > 1);
}

/** The first word of a name that isn't a common verb: `issu` in `create_issue` and `list_issues`. */
function subjectOf(name: string): string | undefined {
  return termsOf(name).find((term) => !commonVerbs.has(term));
}

const commonVerbs: ReadonlySet<string> = new Set(
  termsOf(
    'add all apply browse by cancel check convert copy create delete describe disable download edit enable execute fetch find from generate ' +
      'get insert list lookup make manage modify move new open post put query read remove rename replace run save search send set show ' +
      'start stop submit take to update upload validate view write',
  ),
);
