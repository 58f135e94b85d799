import { z } from 'zod';
import { limits } from '../../../../accounts/limits.ts';
import type { Provisioning } from '../../../../accounts/scim/provisioning.ts';
import type { ScimTokens } from '../../../../accounts/scim/scim-tokens.ts';
import type { ScimToken } from '../../../../kernel/ports/scim.ts';
import { bySession, defineRoute } from '../../define-route.ts';
import { jsonBody, noBody } from '../../json-body.ts';
import type { ApiRoute } from '../../route.ts';
import { shortNameSchema, timestamp } from '../../text.ts';

const tokenFields = { id: z.uuid(), name: z.string(), created_at: z.iso.datetime() };
const stateSchema = z.strictObject({
  base_url: z.string().describe('For the identity provider'),
  users: z.int().describe('How many users the identity provider has created'),
  active_users: z.int(),
  groups: z.int(),
  tokens: z.array(
    z.strictObject({
      ...tokenFields,
      last_used_at: z.iso.datetime().nullable().describe('To the hour'),
    }),
  ),
});
const createdSchema = z.strictObject({
  ...tokenFields,
  token: z.string().describe('The token, shown only once'),
});
const errorResponses = {
  401: { description: 'Missing or invalid session token' },
  403: { description: 'Your role does not have the right, or this is no organization' },
};

interface ScimTokenRouteParts {
  readonly provisioning: Pick<Provisioning, 'count'>;
  readonly tokens: ScimTokens;
  readonly address: { readonly url: string };
}

/** The credentials of an organization's identity provider, and what it has made so far. */
export function scimTokenRoutes({ provisioning, tokens, address }: ScimTokenRouteParts): readonly ApiRoute[] {
  const common = { tag: 'Single sign-on', access: bySession('sign-on') } as const;
  const path = '/v1/organization/scim';
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path,
      summary: 'Get what an identity provider manages by SCIM, and its tokens',
      body: noBody,
      responses: { 200: { description: 'The state', schema: stateSchema }, ...errorResponses },
      async handle({ caller }) {
        const { users, active, groups } = await provisioning.count(caller.accountId);
        return {
          body: {
            base_url: `${address.url}/scim/v2/${caller.accountId}`,
            ...{ users, active_users: active, groups },
            tokens: (await tokens.list(caller)).map((token) => ({
              ...describe(token),
              last_used_at: token.usedAtMs === null ? null : timestamp(token.usedAtMs),
            })),
          },
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'scim.token_created',
      path: `${path}/tokens`,
      summary: 'Create a SCIM token',
      body: jsonBody({ name: shortNameSchema(limits.scimTokenNameCharactersMax) }),
      responses: {
        201: { description: 'The token', schema: createdSchema },
        400: { description: 'The body is invalid' },
        ...errorResponses,
        409: { description: `There are ${limits.scimTokensMax} tokens` },
      },
      async handle({ caller, body }) {
        const { token, secret } = await tokens.create(caller, body.name);
        return {
          status: 201,
          body: { ...describe(token), token: secret },
          audit: { scimToken: token.id, after: body },
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'scim.token_revoked',
      path: `${path}/tokens/:token`,
      summary: 'Revoke a SCIM token',
      body: noBody,
      responses: {
        204: { description: 'It is refused, on all replicas' },
        ...errorResponses,
        404: { description: 'There is no such token' },
      },
      async handle({ caller, parameters: { token = '' } }) {
        await tokens.revoke(caller, token);
        return { status: 204, audit: { scimToken: token } };
      },
    }),
  ];
}

function describe({ id, name, createdAtMs }: ScimToken) {
  return { id, name, created_at: timestamp(createdAtMs) };
}
