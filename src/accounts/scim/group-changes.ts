import type { ScimFilter, ScimGroupFields, ScimMemberChange } from '../../kernel/ports/scim.ts';
import { isJsonObject } from '../../lib/json.ts';
import { limits } from '../limits.ts';
import { type AttributeChange, textOf } from './operations.ts';
import { badRequest } from './scim-error.ts';

export const emptyGroup: ScimGroupFields = { displayName: '', externalId: null };

/** The name and the id of the group after these changes. */
export function changeGroup(before: ScimGroupFields, changes: readonly AttributeChange[]): ScimGroupFields {
  const after = changes.reduce(changeAttribute, before);
  if (after.displayName === '') throw badRequest('invalidValue', 'displayName: is needed');
  return after;
}

function changeAttribute(group: ScimGroupFields, change: AttributeChange): ScimGroupFields {
  switch (change.attribute) {
    case 'displayname':
      return { ...group, displayName: textOf(change, 'displayName') ?? '' };
    case 'externalid':
      return { ...group, externalId: textOf(change, 'externalId') };
    default:
      return group;
  }
}

/** Who is in the group after these changes, as far as they say so: groups are too large to be read for each change. */
export function memberChange(changes: readonly AttributeChange[], keepsOthers: boolean): ScimMemberChange {
  const [added, removed] = [new Set<string>(), new Set<string>()];
  let isKept = keepsOthers;
  for (const { attribute, op, filter, sub, value } of changes) {
    if (attribute !== 'members') continue;
    if (op === 'remove' && (filter !== undefined || hasValues(value)))
      for (const id of filter === undefined ? idsOf(value) : idsInFilter(filter)) {
        added.delete(id);
        removed.add(id);
      }
    else {
      if (filter !== undefined || (sub !== undefined && sub !== 'value'))
        throw badRequest('invalidPath', 'path: members can be added, removed and replaced as a whole');
      const ids = op === 'remove' || value === null ? [] : idsOf(value);
      if (op !== 'add') {
        isKept = false;
        added.clear();
        removed.clear();
      }
      for (const id of ids) {
        added.add(id);
        removed.delete(id);
      }
    }
  }
  if (added.size > limits.membersMax)
    throw badRequest('tooMany', `members: must be at most ${limits.membersMax}`);
  return { keepsOthers: isKept, added, removed };
}

function hasValues(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

function idsOf(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).map((one: unknown) => {
    const id = isJsonObject(one) ? one.value : one;
    if (typeof id === 'string' && id.length <= limits.scimTextCharactersMax) return id;
    throw badRequest('invalidValue', 'members: each must be an object with the id of a user as its value');
  });
}

function idsInFilter(filter: ScimFilter): readonly string[] {
  if (filter.kind === 'or') return filter.parts.flatMap(idsInFilter);
  if (filter.kind === 'compare' && filter.attribute === 'value' && filter.comparison === 'eq')
    return [String(filter.value)];
  throw badRequest('invalidPath', 'path: members are chosen by members[value eq "<id>"]');
}
