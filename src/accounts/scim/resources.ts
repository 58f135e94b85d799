import type { ScimGroup, ScimGroupMember, ScimUser } from '../../kernel/ports/scim.ts';
import type { JsonObject } from '../../lib/json.ts';

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** Which attributes an answer has; undefined for all. */
export interface Projection {
  readonly attributes: ReadonlySet<string> | undefined;
  readonly excluded: ReadonlySet<string>;
}

export function projectionOf(attributes: string | undefined, excluded: string | undefined): Projection {
  return {
    attributes: attributes === undefined || attributes === '' ? undefined : new Set(namesIn(attributes)),
    excluded: new Set(namesIn(excluded ?? '')),
  };
}

/** Whether an answer has an attribute, or a part of it. */
export function shows({ attributes, excluded }: Projection, name: string): boolean {
  if (excluded.has(name)) return false;
  return (
    attributes === undefined || [...attributes].some((one) => one === name || one.startsWith(`${name}.`))
  );
}

/** The attributes that are asked for; id and schemas always. */
export function project(resource: JsonObject, projection: Projection): JsonObject {
  const { attributes, excluded } = projection;
  if (attributes === undefined && excluded.size === 0) return resource;
  return Object.fromEntries(
    Object.entries(resource).flatMap(([name, value]) => {
      const folded = name.toLowerCase();
      if (folded === 'id' || folded === 'schemas') return [[name, value]];
      if (!shows(projection, folded)) return [];
      return [[name, projectParts(value, folded, projection)]];
    }),
  );
}

function projectParts(value: unknown, name: string, { attributes, excluded }: Projection): unknown {
  const isShown = (part: string) => {
    const path = `${name}.${part.toLowerCase()}`;
    return !excluded.has(path) && (attributes === undefined || attributes.has(name) || attributes.has(path));
  };
  if (Array.isArray(value)) return value.map((one) => projectParts(one, name, { attributes, excluded }));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([part]) => isShown(part)));
}

function namesIn(list: string): readonly string[] {
  return list
    .split(',')
    .map((name) =>
      name
        .trim()
        .toLowerCase()
        .replace(/^urn:ietf:params:scim:schemas:core:2\.0:(user|group):/, ''),
    )
    .filter((name) => name !== '');
}

export function userResource(user: ScimUser, base: string): JsonObject {
  const { id, externalId, userName, displayName, name, email, isActive } = user;
  const parts = Object.entries(name).filter(([, part]) => part !== undefined);
  return {
    schemas: [userSchema],
    id,
    ...(externalId !== null && { externalId }),
    userName,
    ...(parts.length > 0 && { name: Object.fromEntries(parts) }),
    ...(displayName !== null && { displayName }),
    active: isActive,
    emails: [{ value: email, type: 'work', primary: true }],
    meta: metaOf('User', user, `${base}/Users/${id}`),
  };
}

export function groupResource(
  group: ScimGroup,
  members: readonly ScimGroupMember[] | undefined,
  base: string,
): JsonObject {
  const { id, externalId, displayName } = group;
  return {
    schemas: [groupSchema],
    id,
    ...(externalId !== null && { externalId }),
    displayName,
    ...(members !== undefined && {
      members: members.map(({ userId, userName }) => ({
        ...{ value: userId, display: userName, type: 'User', $ref: `${base}/Users/${userId}` },
      })),
    }),
    meta: metaOf('Group', group, `${base}/Groups/${id}`),
  };
}

/** The version of a resource, as an entity tag. */
export function versionOf({ updatedAtMs }: Pick<ScimUser, 'updatedAtMs'>): string {
  return `W/"${updatedAtMs}"`;
}

function metaOf(
  resourceType: 'User' | 'Group',
  resource: ScimUser | ScimGroup,
  location: string,
): JsonObject {
  return {
    resourceType,
    created: new Date(resource.createdAtMs).toISOString(),
    lastModified: new Date(resource.updatedAtMs).toISOString(),
    location,
    version: versionOf(resource),
  };
}
