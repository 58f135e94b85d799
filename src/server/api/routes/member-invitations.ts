import { z } from 'zod';
import { isEmail } from '../../../accounts/email.ts';
import { limits as accountsLimits } from '../../../accounts/limits.ts';
import type { OrganizationMembers } from '../../../accounts/organization-members.ts';
import { roles } from '../../../kernel/ports/identities.ts';
import type { MemberInvitation } from '../../../kernel/ports/member-invitations.ts';
import { limits } from '../../limits.ts';
import { byAddress, bySession, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { textSchema, timestamp } from '../text.ts';

const role = z.enum(roles, `must be one of ${roles.join(', ')}`);
const token = textSchema({ max: limits.mailedTokenCharactersMax }).describe(
  'The value after #invitation= in the link',
);
const invitationFields = {
  id: z.string(),
  email: z.string().nullable().describe('null if anybody with the link may accept it'),
  role: z.enum(roles),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
};
const invitationSchema = z.strictObject(invitationFields);
const invitationListSchema = z.strictObject({
  invitations: z.array(invitationSchema).describe('Newest first'),
});
const createdSchema = z.strictObject({
  ...invitationFields,
  link: z.string().describe('The link, shown only once'),
  mailed: z.boolean().describe('Whether the link is sent by mail'),
});
const shownSchema = z.strictObject({
  organization: z.string().describe('The name of the organization'),
  role: z.enum(roles),
  email: invitationFields.email,
  expires_at: z.iso.datetime(),
});
const joinedSchema = z.strictObject({
  organization_id: z.string().describe('For POST /v1/organizations/:id/session'),
  role: z.enum(roles),
});

const unauthenticated = { 401: { description: 'Missing or invalid session token' } };
const errorResponses = {
  ...unauthenticated,
  400: { description: 'The body is invalid' },
  403: { description: 'Your role does not have the right' },
};
/** Invitations into the organization of this session, and their acceptance. */
export function memberInvitationRoutes(members: OrganizationMembers): readonly ApiRoute[] {
  return [...invitationRoutes(members), ...acceptanceRoutes(members)];
}

function invitationRoutes(members: OrganizationMembers): readonly ApiRoute[] {
  const path = '/v1/organization/invitations';
  const common = { tag: 'Organizations', access: bySession('members') } as const;
  const { invitationDays, invitationDaysMax } = accountsLimits;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path,
      summary: 'List invitations that nobody has accepted yet',
      body: noBody,
      responses: {
        200: { description: 'The invitations, without their links', schema: invitationListSchema },
        ...unauthenticated,
      },
      async handle({ caller }) {
        return { body: { invitations: (await members.listInvitations(caller)).map(describeInvitation) } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'member.invited',
      path,
      summary: 'Invite a person, by mail or with a link',
      body: jsonBody({
        email: z
          .string('must be a string')
          .trim()
          .refine(isEmail, 'must be an email address')
          .nullable()
          .optional()
          .describe('Only the person with this address may accept; without one, anybody with the link'),
        role,
        days: z
          .int()
          .min(1)
          .max(invitationDaysMax)
          .optional()
          .describe(`How long the invitation is valid; ${invitationDays} days by default`),
      }),
      responses: {
        201: {
          description: 'The invitation, which works once. It replaces an earlier one of the address',
          schema: createdSchema,
        },
        ...errorResponses,
        409: { description: 'The person is a member already, or too many invitations are open' },
        429: { description: 'Too many mails in a day' },
      },
      async handle({ caller, body: { email = null, role: invitedRole, days = invitationDays } }) {
        const { invitation, link, isMailed } = await members.invite(caller, {
          email,
          role: invitedRole,
          days,
        });
        return {
          status: 201,
          body: { ...describeInvitation(invitation), link, mailed: isMailed },
          audit: {
            ...{ event: 'member.invited', invitation: invitation.id, role: invitedRole },
            ...(invitation.email !== null && { email: invitation.email }),
          },
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'member.invitation_revoked',
      path: `${path}/:id`,
      summary: 'Revoke an invitation',
      body: noBody,
      responses: {
        204: { description: 'Its link no longer works' },
        ...errorResponses,
        404: { description: 'The organization has no such invitation' },
      },
      async handle({ caller, parameters: { id = '' } }) {
        await members.revokeInvitation(caller, id);
        return { status: 204, audit: { invitation: id } };
      },
    }),
  ];
}

function acceptanceRoutes(members: OrganizationMembers): readonly ApiRoute[] {
  const tag = 'Organizations';
  const errors = {
    400: { description: 'The body is invalid, or the invitation is not valid any more: `invalid_token`' },
    429: { description: 'Too many attempts' },
  };
  return [
    defineRoute({
      method: 'POST',
      audit: 'none',
      path: '/v1/invitations/show',
      summary: 'Get what an invitation is for',
      tag,
      access: byAddress((address) => members.countUse(address)),
      body: jsonBody({ token }),
      responses: { 200: { description: 'The invitation', schema: shownSchema }, ...errors },
      async handle({ body }) {
        const { invitation, organization } = await members.findInvitation(body.token);
        const { role: invitedRole, email, expiresAtMs } = invitation;
        return { body: { organization, role: invitedRole, email, expires_at: timestamp(expiresAtMs) } };
      },
    }),
    defineRoute({
      method: 'POST',
      audit: 'member.joined',
      path: '/v1/invitations/accept',
      summary: 'Accept an invitation: become a member',
      tag,
      access: bySession('person'),
      body: jsonBody({ token }),
      responses: {
        200: { description: 'You are a member', schema: joinedSchema },
        ...unauthenticated,
        ...errors,
        403: { description: 'The invitation is for another mail address' },
        409: { description: 'You are a member already, or there are too many' },
      },
      async handle({ caller, body, remoteAddress }) {
        await members.countUse(remoteAddress);
        const { accountId, role: invitedRole, id } = await members.accept(caller, body.token);
        return {
          body: { organization_id: accountId, role: invitedRole },
          audit: { account: accountId, role: invitedRole, invitation: id },
        };
      },
    }),
  ];
}

function describeInvitation({ id, email, role: invitedRole, createdAtMs, expiresAtMs }: MemberInvitation) {
  return {
    id,
    email,
    role: invitedRole,
    created_at: timestamp(createdAtMs),
    expires_at: timestamp(expiresAtMs),
  };
}
