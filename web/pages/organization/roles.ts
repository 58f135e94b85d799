import type { Role } from '../../api/queries.ts';

/** The roles with what they are for, the most powerful first. */
export const roleTexts: Readonly<Record<Role, string>> = {
  owner: 'everything, including owners and deletion',
  admin: 'everything but that; invites people',
  developer: 'keys, settings and contents of calls',
  billing: 'plan, payments and usage',
  viewer: 'reads, without contents of calls',
  member: 'only the projects that they are in',
};

const roleNames = Object.keys(roleTexts) as readonly Role[];

/** The roles that somebody may give: only owners make owners. */
export function rolesFor(rights: readonly string[]): readonly Role[] {
  return rights.includes('ownership:write') ? roleNames : roleNames.filter((role) => role !== 'owner');
}
