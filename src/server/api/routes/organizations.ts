import { z } from 'zod';
import { limits } from '../../../accounts/limits.ts';
import type { NamedMember, Organizations } from '../../../accounts/organizations.ts';
import { isOwnAccount } from '../../../accounts/organizations.ts';
import { rightsOf } from '../../../accounts/rights.ts';
import type { Session } from '../../../accounts/session-tokens.ts';
import { roles } from '../../../kernel/ports/identities.ts';
import { headerOf } from '../../../lib/headers.ts';
import { bySession, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import type { SessionCookies } from '../session-cookie.ts';
import { shortNameSchema, timestamp } from '../text.ts';
import { cookieHeader, sessionInfo, sessionResponse, typedPassword } from './users.ts';

const name = shortNameSchema(limits.organizationNameCharactersMax);

const organizationSchema = z.strictObject({
  id: z.string(),
  name: z.string().describe('Its name; without one, the address of its owner'),
  named: z.boolean().describe('Whether it has a name of its own'),
  personal: z.boolean().describe('Whether it is the account that came with your sign-up'),
  role: z.enum(roles).describe('Your role'),
  current: z.boolean().describe('Whether this session is in it'),
  deletes_at: z.iso.datetime().nullable().describe('When it is deleted, if an owner has decided so'),
});
const currentSchema = organizationSchema.extend({
  rights: z.array(z.string()).describe('What you may do in it: docs/reference/roles has all rights'),
});
const listSchema = z.strictObject({ organizations: z.array(organizationSchema) });

const unauthenticated = { 401: { description: 'Missing or invalid session token' } };
const errorResponses = {
  ...unauthenticated,
  400: { description: 'The body is invalid' },
  403: { description: 'Your role does not have the right' },
};

export interface OrganizationRouteParts {
  readonly organizations: Organizations;
  readonly cookies: SessionCookies;
}

/** The accounts of a person, and the one of this session. */
export function organizationRoutes(parts: OrganizationRouteParts): readonly ApiRoute[] {
  return [...ownOrganizationsRoutes(parts), ...currentOrganizationRoutes(parts)];
}

function ownOrganizationsRoutes({ organizations, cookies }: OrganizationRouteParts): readonly ApiRoute[] {
  const common = { tag: 'Organizations', access: bySession('person') } as const;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/organizations',
      summary: 'List your organizations',
      body: noBody,
      responses: {
        200: { description: 'Your own account first, then in the order you joined', schema: listSchema },
        ...unauthenticated,
      },
      async handle({ caller }) {
        const listed = await organizations.list(caller);
        return { body: { organizations: listed.map((member) => describe(member, caller)) } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'organization.created',
      path: '/v1/organizations',
      summary: 'Create an organization',
      body: jsonBody({ name }),
      responses: {
        201: { description: 'The organization, whose owner you are', schema: organizationSchema },
        409: { description: `You own ${limits.ownedAccountsMax} accounts` },
        ...errorResponses,
      },
      async handle({ caller, body }) {
        const made = await organizations.create(caller, body.name);
        return {
          status: 201,
          body: describe(made, caller),
          audit: { account: made.account.id },
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'session.switched',
      path: '/v1/organizations/:id/session',
      summary: 'Switch to another organization: start a session in it',
      body: jsonBody({}),
      responses: {
        201: {
          description: 'A session token. A session cookie is replaced, and its session ended',
          schema: sessionInfo,
          headers: cookieHeader,
        },
        404: { description: 'You are no member of such an organization' },
        ...unauthenticated,
      },
      async handle({ caller, parameters: { id = '' }, headers, method }) {
        const client = headerOf(headers, 'user-agent') ?? '';
        const issued = await organizations.switchTo(caller, id, client);
        const cookie = cookies.setIfRequested(headers, issued.token);
        // The browser forgets the token of the earlier session.
        if (cookie.length > 0 && cookies.tokenOf({ method, headers }) !== undefined)
          await organizations.endSession(caller);
        return {
          ...sessionResponse(201, issued),
          headers: cookie,
          audit: { account: id },
        };
      },
    }),
  ];
}

function currentOrganizationRoutes({ organizations }: OrganizationRouteParts): readonly ApiRoute[] {
  const common = { tag: 'Organizations', path: '/v1/organization', access: bySession('organization') };
  return [
    defineRoute({
      ...common,
      method: 'GET',
      summary: 'Get the organization of this session',
      body: noBody,
      responses: { 200: { description: 'The organization', schema: currentSchema }, ...unauthenticated },
      async handle({ caller }) {
        const rights = rightsOf(caller);
        return { body: { ...describe(await organizations.get(caller), caller), rights } };
      },
    }),
    defineRoute({
      ...common,
      method: 'PATCH',
      audit: 'organization.renamed',
      summary: 'Change its name',
      body: jsonBody({ name: name.nullable().describe('null removes the name of your own account') }),
      responses: {
        200: { description: 'The organization', schema: organizationSchema },
        ...errorResponses,
      },
      async handle({ caller, body }) {
        const renamed = await organizations.rename(caller, body.name);
        return { body: describe(renamed, caller), audit: { after: body } };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'organization.deletion_scheduled',
      summary: 'Delete the organization after a week in which it can be restored',
      access: bySession('ownership'),
      body: jsonBody({ password: typedPassword }),
      responses: {
        200: { description: 'Everything works until `deletes_at`', schema: organizationSchema },
        ...errorResponses,
        401: { description: 'Missing or invalid session token, or the password is wrong' },
        429: { description: 'Too many attempts' },
      },
      failureEvent: 'login.failed',
      async handle({ caller, body, remoteAddress }) {
        const scheduled = await organizations.scheduleDeletion(caller, body.password, remoteAddress);
        return { body: describe(scheduled, caller) };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'organization.restored',
      path: '/v1/organization/restore',
      summary: 'Take the deletion of the organization back',
      access: bySession('ownership'),
      body: jsonBody({}),
      responses: {
        200: { description: 'The organization', schema: organizationSchema },
        ...errorResponses,
      },
      async handle({ caller }) {
        const restored = await organizations.restore(caller);
        return { body: describe(restored, caller) };
      },
    }),
  ];
}

function describe(member: NamedMember, session: Session) {
  const { account, name, role } = member;
  return {
    id: account.id,
    name,
    named: account.name !== undefined,
    personal: isOwnAccount(member),
    role,
    current: account.id === session.accountId,
    deletes_at: account.deletesAtMs === undefined ? null : timestamp(account.deletesAtMs),
  };
}
