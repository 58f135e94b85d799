import { z } from 'zod';
import { limits } from '../../../accounts/limits.ts';
import type { Session } from '../../../accounts/session-tokens.ts';
import { type ConnectionTest, testSteps } from '../../../accounts/sign-on/connection-test.ts';
import type { SignOnSettings } from '../../../accounts/sign-on/sign-on-settings.ts';
import type { SingleSignOn } from '../../../accounts/sign-on/single-sign-on.ts';
import { roles } from '../../../kernel/ports/identities.ts';
import type { SignOn } from '../../../kernel/ports/sign-on.ts';
import { bySession, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { textSchema, timestamp } from '../text.ts';

const role = z.enum(roles, `must be one of ${roles.join(', ')}`);
const groupRole = z.strictObject({ group: textSchema({ min: 1, max: 300 }), role });

const bodyShape = {
  issuer: textSchema({ min: 1, max: 1000 }).describe('The issuer’s address, as in its discovery document'),
  client_id: textSchema({ min: 1, max: 500 }),
  client_secret: textSchema({ min: 1, max: 2000 })
    .nullable()
    .optional()
    .describe(
      'It is never shown again. Left out, the stored one stays; null is for a client without a secret',
    ),
  groups_claim: textSchema({ min: 1, max: 200 })
    .nullable()
    .default(null)
    .describe('The claim with the groups of a person; null if roles don’t follow groups'),
  group_roles: z
    .array(groupRole)
    .max(limits.groupRolesMax)
    .default([])
    .describe('Of several groups, the role with most rights counts'),
  default_role: role
    .nullable()
    .default(null)
    .describe('For people in none of these groups; null refuses them'),
  enforced: z
    .boolean()
    .default(false)
    .describe('Whether members with an address of a proven domain can’t log in with a password'),
  break_glass: textSchema({ max: 100 })
    .nullable()
    .default(null)
    .describe('The id of an owner who may log in with a password all the same'),
};

const signOnSchema = z.strictObject({
  issuer: z.string(),
  client_id: z.string(),
  has_secret: z.boolean(),
  groups_claim: z.string().nullable(),
  group_roles: z.array(z.strictObject({ group: z.string(), role: z.enum(roles) })),
  default_role: z.enum(roles).nullable(),
  enforced: z.boolean(),
  break_glass: z.string().nullable(),
  updated_at: z.iso.datetime(),
  redirect_uri: z.string().describe('For the identity provider'),
  logout_uri: z.string().describe('For back-channel logout'),
  start_uri: z.string().describe('Where members begin, also from a tile of the provider'),
});
const testSchema = z.strictObject({
  ok: z.boolean(),
  steps: z.array(z.strictObject({ step: z.enum(testSteps), ok: z.boolean(), message: z.string() })),
});

const errorResponses = {
  401: { description: 'Missing or invalid session token' },
  403: { description: 'Your role does not have the right, or this is no organization' },
};
const unknown = { 404: { description: 'The organization has no single sign-on' } };

export interface SignOnSettingsRouteParts {
  readonly settings: SignOnSettings;
  readonly signOn: Pick<SingleSignOn, 'redirectUri'>;
  readonly test: ConnectionTest;
  readonly address: { readonly url: string };
  /** Called when the settings are in force. */
  onChanged(by: Session): Promise<void>;
}

/** How the members of an organization sign on. */
export function signOnSettingsRoutes(parts: SignOnSettingsRouteParts): readonly ApiRoute[] {
  const { settings, signOn, test, address } = parts;
  const common = { tag: 'Single sign-on', access: bySession('sign-on') } as const;
  const path = '/v1/organization/sign-on';
  const describe = (stored: SignOn) =>
    describeSignOn(stored, address.url, signOn.redirectUri(stored.accountId));
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path,
      summary: 'Get how members sign on',
      body: noBody,
      responses: {
        200: { description: 'The settings', schema: signOnSchema },
        ...errorResponses,
        ...unknown,
      },
      handle: async ({ caller }) => ({ body: describe(await settings.get(caller.accountId)) }),
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      audit: 'sign_on.changed',
      path,
      summary: 'Set single sign-on up, or replace its settings',
      body: jsonBody(bodyShape),
      responses: {
        200: { description: 'In force for the next sign-on and log-in', schema: signOnSchema },
        400: { description: 'The body is invalid' },
        ...errorResponses,
        409: { description: 'Enforced sign-on needs a proven domain' },
      },
      async handle({ caller, body }) {
        const { before, after } = await settings.put(caller, {
          issuer: body.issuer,
          clientId: body.client_id,
          clientSecret: body.client_secret,
          groupsClaim: body.groups_claim,
          groupRoles: body.group_roles,
          defaultRole: body.default_role,
          isEnforced: body.enforced,
          breakGlass: body.break_glass,
        });
        await parts.onChanged(caller);
        const audit = { issuer: after.issuer, after: factsOf(after) };
        return {
          body: describe(after),
          audit: before === undefined ? audit : { ...audit, before: factsOf(before) },
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'sign_on.removed',
      path,
      summary: 'Remove single sign-on, and end the sessions that began with it',
      body: noBody,
      responses: { 204: { description: 'Removed; members stay' }, ...errorResponses, ...unknown },
      async handle({ caller }) {
        const before = await settings.get(caller.accountId);
        await settings.delete(caller.accountId);
        return { status: 204, audit: { issuer: before.issuer, before: factsOf(before) } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'sign_on.tested',
      path: `${path}/test`,
      summary: 'Test the connection to the identity provider',
      body: jsonBody({}),
      responses: {
        200: { description: 'What works, and what does not', schema: testSchema },
        ...errorResponses,
        ...unknown,
        429: { description: 'Too many tests' },
      },
      async handle({ caller: { accountId } }) {
        const stored = await settings.get(accountId);
        const steps = await test.run(stored, signOn.redirectUri(accountId));
        return { body: { ok: steps.every(({ ok }) => ok), steps }, audit: { issuer: stored.issuer } };
      },
    }),
  ];
}

function describeSignOn(signOn: SignOn, url: string, redirectUri: string) {
  return {
    ...factsOf(signOn),
    updated_at: timestamp(signOn.updatedAtMs),
    redirect_uri: redirectUri,
    logout_uri: `${url}/v1/sign-on/${signOn.accountId}/logout`,
    start_uri: `${url}/v1/sign-on/start?organization=${signOn.accountId}`,
  };
}

function factsOf(signOn: SignOn) {
  return {
    issuer: signOn.issuer,
    client_id: signOn.clientId,
    has_secret: signOn.secret !== undefined,
    groups_claim: signOn.groupsClaim ?? null,
    group_roles: signOn.groupRoles,
    default_role: signOn.defaultRole ?? null,
    enforced: signOn.isEnforced,
    break_glass: signOn.breakGlass === undefined ? null : String(signOn.breakGlass),
  };
}
