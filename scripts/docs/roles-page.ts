import {
  type ActorRole,
  can,
  describeResource,
  isPerProject,
  type Resource,
  resourceNames,
} from '../../src/accounts/rights.ts';
import { projectRoles, roles } from '../../src/kernel/ports/identities.ts';

const actors: readonly ActorRole[] = [...roles, 'key'];

/** The text of docs/reference/roles.md, from the table that the gateway enforces. */
export function rolesPage(): string {
  const headings = ['resource', ...roles, 'API key'];
  const rows = resourceNames.map((resource) => [
    `\`${resource}\`: ${describeResource(resource)}`,
    ...actors.map((actor) => allowed(actor, resource)),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const table = [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n');
  return `${introduction}\n\n${table}\n\n${remarks}\n\n${inProjects()}\n`;
}

function inProjects(): string {
  const list = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
  return `## In projects

A member may also have a role in a [project](../guides/projects.md): ${list(projectRoles)}. It gives the rights of its column to what the
project has of ${list(resourceNames.filter(isPerProject))}, on routes that name the project, or one of its keys or calls. The right of
either role is enough. A \`member\` has rights in projects only; so does an API key in a project, with those of the last column.`;
}

function allowed(role: ActorRole, resource: Resource): string {
  const mayRead = can({ role }, 'read', resource);
  const mayWrite = can({ role }, 'write', resource);
  if (mayRead && mayWrite) return 'read, write';
  if (mayRead) return 'read';
  return mayWrite ? 'write' : '';
}

const introduction = `# Roles and rights

Every member of an account has a role. A role has rights: an action, \`read\` or \`write\`, on a resource. This page lists all of them;
\`npm run docs\` writes it from \`src/accounts/rights.ts\`, the table that every route is checked against. Who creates an account is its
\`owner\`.`;

const remarks = `- The [OpenAPI description](api.md) has the right that a route needs in \`x-required-right\`.
- A request without the right is answered with 403 and the code [\`forbidden\`](errors.md#forbidden). The message names the right and the role.
- A change of a role is in force for the next request, on all replicas.
- API keys belong to the account, not to the person who created them. The column shows what a program may do with one through Weir’s own
  routes, except on routes that accept no API keys at all. [Access rules](../guides/access-rules.md) restrict its calls to models.
- [Service accounts](../guides/service-accounts.md) have the rights of their role, but for \`person\`, since they have no login.
- In local mode there are no accounts, and the user of the gateway has every right.`;
