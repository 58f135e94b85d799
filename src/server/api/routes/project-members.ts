import { z } from 'zod';
import { type AccountProjects, unknownProjectError } from '../../../accounts/projects.ts';
import { defaultPageLimit, pageLimitSchema } from '../../../kernel/input-schemas.ts';
import { projectRoles } from '../../../kernel/ports/identities.ts';
import type { ListedProjectMember } from '../../../kernel/ports/projects.ts';
import { limits } from '../../limits.ts';
import { bySession, defineRoute, inProject } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ProjectSource } from '../project-access.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';
import { TimeCursors } from '../time-cursor.ts';
import { parseQuery } from '../validation.ts';

const role = z.enum(projectRoles, `must be one of ${projectRoles.join(', ')}`);
const cursors = new TimeCursors(/^[\w-]{1,100}$/);
const query = {
  limit: pageLimitSchema(limits.memberPageMax),
  after: cursors.querySchema('A `next_cursor`: returns the members that follow it'),
};
const pageSchema = z.strictObject({
  members: z
    .array(
      z.strictObject({
        id: z.string(),
        email: z.string().nullable().describe('Of a person'),
        service_account: z.string().nullable().describe('The name of a service account'),
        role: z.enum(projectRoles).describe('In the project; a role in the organization counts beside it'),
        since: z.iso.datetime(),
      }),
    )
    .describe('In the order in which they got their first role'),
  next_cursor: z.string().nullable().describe('For `after`; null at the end'),
});
const errorResponses = {
  401: { description: 'Missing or invalid session token' },
  403: { description: 'Your roles do not have the right' },
};
const inPath: ProjectSource = { find: ({ parameters: { id } }) => id, unknown: unknownProjectError };

/** The roles of members in a project. */
export function projectMemberRoutes(projects: AccountProjects): readonly ApiRoute[] {
  const path = '/v1/organization/projects/:id/members';
  const common = { tag: 'Projects', access: inProject(bySession('projects'), inPath) } as const;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path,
      summary: 'List who has a role in a project',
      query,
      body: noBody,
      responses: {
        200: { description: 'A page of members', schema: pageSchema },
        400: { description: 'A query parameter is invalid' },
        ...errorResponses,
        404: { description: 'The organization has no such project' },
      },
      async handle({ caller, parameters: { id = '' }, query: sent }) {
        const { limit = defaultPageLimit, after } = parseQuery(query, sent);
        const position = after === undefined ? undefined : cursors.decode(after);
        const project = await projects.find(caller.accountId, id);
        const rows = await projects.members(project.id, {
          limit: limit + 1,
          after: position && { sinceMs: position.atMs, memberId: position.id },
        });
        const shown = rows.slice(0, limit);
        const last = rows.length > limit ? shown.at(-1) : undefined;
        return {
          body: {
            members: shown.map(describeMember),
            next_cursor:
              last === undefined ? null : cursors.encode({ atMs: last.sinceMs, id: last.memberId }),
          },
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      audit: 'project.member_changed',
      path: `${path}/:member`,
      summary: 'Give a member of the organization a role in a project',
      body: jsonBody({ role }),
      responses: {
        204: { description: 'The role is in force for the next request, on all replicas' },
        400: { description: 'The body is invalid' },
        ...errorResponses,
        404: { description: 'The organization has no such project or member' },
      },
      async handle({ caller, body, parameters: { id = '', member = '' } }) {
        const { accountId } = caller;
        const before = await projects.setRole({ accountId, projectId: id, memberId: member }, body.role);
        const roleBefore = before === null ? {} : { roleBefore: before };
        return { status: 204, audit: { project: id, member, role: body.role, ...roleBefore } };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'project.member_removed',
      path: `${path}/:member`,
      summary: 'Take the role in a project from a member; API keys stay',
      body: noBody,
      responses: {
        204: { description: 'The role is gone for the next request, on all replicas' },
        ...errorResponses,
        404: { description: 'The member has no role in such a project' },
      },
      async handle({ caller: { accountId }, parameters: { id = '', member = '' } }) {
        const roleBefore = await projects.removeMember({ accountId, projectId: id, memberId: member });
        return { status: 204, audit: { project: id, member, roleBefore } };
      },
    }),
  ];
}

function describeMember({ memberId, email, name, role: held, sinceMs }: ListedProjectMember) {
  return { id: memberId, email, service_account: name, role: held, since: timestamp(sinceMs) };
}
