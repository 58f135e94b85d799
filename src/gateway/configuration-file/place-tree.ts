import type { SettingPlace } from '../../lib/settings.ts';

/** The names of one level of the file. */
export interface PlaceTree {
  readonly children: Map<string, PlaceTree>;
  /** Several variables may have one place; the first is written. */
  readonly places: SettingPlace[];
}

export function createPlaceTree(places: Iterable<SettingPlace>): PlaceTree {
  const root: PlaceTree = { children: new Map(), places: [] };
  for (const place of places) {
    let tree = root;
    for (const name of place.at.split('.')) {
      const child = tree.children.get(name) ?? { children: new Map(), places: [] };
      tree.children.set(name, child);
      tree = child;
    }
    tree.places.push(place);
  }
  return root;
}

/** What may stand below a name. One that is chosen freely comes before a given one. */
export function childrenNamed(trees: readonly PlaceTree[], name: string): readonly PlaceTree[] {
  return trees.flatMap(({ children }) => [children.get('*') ?? [], children.get(name) ?? []].flat());
}

/** The names that may stand here, and whether any other may, too. */
export function namesIn(trees: readonly PlaceTree[]): {
  readonly names: readonly string[];
  readonly isOpen: boolean;
} {
  const names = trees.flatMap(({ children }) => [...children.keys()]);
  return { names: names.filter((name) => name !== '*'), isOpen: names.includes('*') };
}

/** The variable of a place below these freely chosen names. */
export function variableOf({ variable, at }: SettingPlace, chosen: readonly string[]): string {
  const written = chosen.map((name) =>
    (at.startsWith('modules.') ? name.replaceAll('-', '_') : name).toUpperCase(),
  );
  return written.reduce((pattern, name) => pattern.replace('*', name), variable);
}
