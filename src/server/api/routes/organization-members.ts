import { z } from 'zod';
import { limits as accountsLimits } from '../../../accounts/limits.ts';
import type { OrganizationMembers } from '../../../accounts/organization-members.ts';
import { defaultPageLimit, pageLimitSchema } from '../../../kernel/input-schemas.ts';
import { identityIdOf, type ListedMember, roles } from '../../../kernel/ports/identities.ts';
import { limits } from '../../limits.ts';
import { bySession, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import type { SessionCookies } from '../session-cookie.ts';
import { timestamp } from '../text.ts';
import { TimeCursors } from '../time-cursor.ts';
import { parseQuery } from '../validation.ts';

const role = z.enum(roles, `must be one of ${roles.join(', ')}`);
const cursors = new TimeCursors(/^[\w-]{1,100}$/);

const query = {
  limit: pageLimitSchema(limits.memberPageMax),
  after: cursors.querySchema('A `next_cursor`: returns the members that follow it'),
  search: z
    .string()
    .max(accountsLimits.emailCharactersMax)
    .optional()
    .describe('Only members whose address contains this text'),
};

const memberSchema = z.strictObject({
  id: z.string(),
  email: z.string(),
  verified: z.boolean().describe('Whether the person has verified the address'),
  role: z.enum(roles),
  since: z.iso.datetime(),
  you: z.boolean(),
});
const pageSchema = z.strictObject({
  members: z.array(memberSchema).describe('In the order in which they joined'),
  total: z.int().describe('All members, whatever the search'),
  next_cursor: z.string().nullable().describe('For `after`; null at the end'),
});
const unauthenticated = { 401: { description: 'Missing or invalid session token' } };
const errorResponses = {
  ...unauthenticated,
  400: { description: 'The body is invalid' },
  403: { description: 'Your role does not have the right' },
};
const unknownMember = { 404: { description: 'The organization has no such member' } };
const lastOwner = { 409: { description: 'The organization would have no owner' } };

export interface OrganizationMemberRouteParts {
  readonly members: OrganizationMembers;
  readonly cookies: SessionCookies;
}

/** Members of the organization of this session. */
export function organizationMemberRoutes({
  members,
  cookies,
}: OrganizationMemberRouteParts): readonly ApiRoute[] {
  const path = '/v1/organization/members';
  const common = { tag: 'Organizations', access: bySession('members') } as const;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path,
      summary: 'List members',
      query,
      body: noBody,
      responses: {
        200: { description: 'A page of members', schema: pageSchema },
        400: { description: 'A query parameter is invalid' },
        ...unauthenticated,
      },
      async handle({ caller, query: sent }) {
        const { limit = defaultPageLimit, after, search } = parseQuery(query, sent);
        const position = after === undefined ? undefined : cursors.decode(after);
        const rows = await members.page(caller, {
          limit: limit + 1,
          search,
          after: position && { sinceMs: position.atMs, identityId: identityIdOf(position.id) },
        });
        const shown = rows.slice(0, limit);
        const last = rows.length > limit ? shown.at(-1) : undefined;
        return {
          body: {
            members: shown.map((member) => describeMember(member, caller.identityId)),
            total: await members.count(caller),
            next_cursor:
              last === undefined ? null : cursors.encode({ atMs: last.sinceMs, id: String(last.identityId) }),
          },
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'PATCH',
      audit: 'member.role_changed',
      path: `${path}/:id`,
      summary: 'Change the role of a member; only owners make owners, or take the role from one',
      body: jsonBody({ role }),
      responses: {
        204: { description: 'The role is in force for the next request, on all replicas' },
        ...errorResponses,
        ...unknownMember,
        ...lastOwner,
      },
      async handle({ caller, body, parameters: { id = '' } }) {
        const roleBefore = await members.changeRole(caller, id, body.role);
        return {
          status: 204,
          audit: { member: id, role: body.role, roleBefore },
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'member.removed',
      path: `${path}/:id`,
      summary: 'Remove a member and end their sessions in the organization; API keys stay',
      body: noBody,
      responses: {
        204: { description: 'The person has no access any more' },
        ...errorResponses,
        ...unknownMember,
        ...lastOwner,
      },
      async handle({ caller, parameters: { id = '' } }) {
        const roleBefore = await members.remove(caller, id);
        return { status: 204, audit: { member: id, roleBefore } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'member.left',
      path: '/v1/organization/leave',
      summary: 'Leave the organization of this session, which ends the session',
      access: bySession('person'),
      body: jsonBody({}),
      responses: {
        204: { description: 'You are no member any more' },
        ...unauthenticated,
        ...lastOwner,
      },
      async handle({ caller }) {
        await members.leave(caller);
        return { status: 204, headers: cookies.clear() };
      },
    }),
  ];
}

function describeMember(member: ListedMember, you: ListedMember['identityId']) {
  const { identityId, email, verified, role: memberRole, sinceMs } = member;
  return {
    id: String(identityId),
    email,
    verified,
    role: memberRole,
    since: timestamp(sinceMs),
    you: identityId === you,
  };
}
