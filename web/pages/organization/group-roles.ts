import type { Role } from '../../api/queries.ts';

interface GroupRole {
  readonly group: string;
  readonly role: Role;
}

/** One in each line; a group may have an equals sign. */
export function groupRolesText(list: readonly GroupRole[]): string {
  return list.map(({ group, role }) => `${group} = ${role}`).join('\n');
}

/** The gateway checks the roles. */
export function groupRolesIn(text: string): GroupRole[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const equals = line.lastIndexOf('=');
      const [group, role] = equals === -1 ? [line, ''] : [line.slice(0, equals), line.slice(equals + 1)];
      return { group: group.trim(), role: role.trim() as Role };
    });
}
