import { childrenNamed, createPlaceTree, variableOf } from '../gateway/configuration-file/place-tree.ts';
import { SettingsError } from '../gateway/settings.ts';
import { nearestName } from '../lib/nearest-name.ts';
import type { SettingPlace } from '../lib/settings.ts';

/** `log.level=debug`, or `WEIR_LOG_LEVEL=debug`, as variables. Throws a `SettingsError` with every fault. */
export function readAssignments(
  assignments: readonly string[],
  places: readonly SettingPlace[],
): Readonly<Record<string, string>> {
  const variables: Record<string, string> = {};
  const faults: string[] = [];
  for (const assignment of assignments) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
    if (name === undefined || value === undefined) {
      faults.push(`--set ${assignment}: must be a name and a value, such as log.level=debug`);
      continue;
    }
    const variable = /^[A-Z]/.test(name) ? name : variableAt(name, places);
    if (variable === undefined)
      faults.push(`--set ${name}: there is no such setting${hintFor(name, places)}`);
    else variables[variable] = value;
  }
  if (faults.length > 0) throw new SettingsError(faults);
  return variables;
}

function variableAt(path: string, places: readonly SettingPlace[]): string | undefined {
  const chosen: string[] = [];
  let trees = [createPlaceTree(places)];
  for (const name of path.split('.')) {
    if (trees.some(({ children }) => children.has('*'))) chosen.push(name);
    trees = [...childrenNamed(trees, name)];
  }
  const place = trees.flatMap((tree) => tree.places)[0];
  return place === undefined ? undefined : variableOf(place, chosen);
}

function hintFor(path: string, places: readonly SettingPlace[]): string {
  const nearest = nearestName(
    path,
    places.map(({ at }) => at),
  );
  return nearest === undefined ? '; weir config schema lists them' : `; did you mean ${nearest}?`;
}
