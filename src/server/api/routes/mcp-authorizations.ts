import { z } from 'zod';
import { GatewayError } from '../../../kernel/errors.ts';
import type { McpGrant } from '../../../kernel/ports/mcp-authorization.ts';
import type { Authorizations } from '../../../mcp/authorization/authorizations.ts';
import { authorizationUrl } from '../../../mcp/authorization/person-credentials.ts';
import type { AccountCaller } from '../access.ts';
import { byPerson, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';
import { personOf } from './mcp-person.ts';

export interface McpAuthorizationRouteParts {
  readonly authorizations: Authorizations;
  readonly address: { readonly url: string };
}

const schema = z.strictObject({
  authorizations: z.array(
    z.strictObject({
      server: z.string(),
      issuer: z.string(),
      resource: z.string(),
      scopes: z.array(z.string()),
      state: z
        .enum(['active', 'more_scopes', 'ended'])
        .describe(
          '`more_scopes`: the server has asked for scopes that were not granted. `ended`: authorize again',
        ),
      created_at: z.iso.datetime(),
      refreshed_at: z.iso.datetime(),
    }),
  ),
});
const unauthenticated = {
  401: { description: 'Missing or invalid session token; API keys are not accepted' },
};

/** What a person has authorized the gateway to do at MCP servers. Each sees their own only. */
export function mcpAuthorizationRoutes({
  authorizations,
  address,
}: McpAuthorizationRouteParts): readonly ApiRoute[] {
  const common = { tag: 'MCP', access: byPerson('person') } as const;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/mcp/authorizations',
      summary: 'List the MCP servers where you have authorized the gateway',
      body: noBody,
      responses: { 200: { description: 'Your authorizations, by server', schema }, ...unauthenticated },
      async handle({ caller }) {
        const grants = await authorizations.list(requirePerson(caller));
        return { body: { authorizations: grants.map(describeGrant) } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'none',
      path: '/v1/mcp/servers/:name/authorization',
      summary: 'Get the page where you authorize the gateway at an MCP server',
      body: jsonBody({
        return_to: z.string().max(500).optional().describe('A path of this gateway to go on to afterwards'),
      }),
      responses: {
        200: {
          description: 'The page, for your browser',
          schema: z.strictObject({ url: z.string() }),
        },
        400: { description: 'The body is invalid' },
        ...unauthenticated,
      },
      async handle({ caller, body, parameters: { name = '' } }) {
        const { accountId, personId } = requirePerson(caller);
        const url = new URL(authorizationUrl(address, { accountId, personId, server: name }));
        if (body.return_to !== undefined) url.searchParams.set('return_to', body.return_to);
        return { body: { url: url.href } };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'mcp_authorization.revoked',
      path: '/v1/mcp/servers/:name/authorization',
      summary: 'Take your authorization at an MCP server back',
      body: noBody,
      responses: {
        200: {
          description: 'The tokens are deleted; whether the issuer has ended them, too',
          schema: z.strictObject({ revoked_at_issuer: z.boolean() }),
        },
        404: { description: 'You have not authorized the gateway at this server' },
        ...unauthenticated,
      },
      async handle({ caller, parameters: { name = '' } }) {
        const revoked = await authorizations.revoke(requirePerson(caller), name);
        if (revoked === undefined)
          throw new GatewayError(
            'not_found',
            'you have not authorized the gateway at this server; GET /v1/mcp/authorizations lists where you have',
          );
        return { body: { revoked_at_issuer: revoked.isRevokedAtIssuer }, audit: { mcpServer: name } };
      },
    }),
  ];
}

function requirePerson(caller: AccountCaller) {
  const person = personOf(caller);
  if (person !== undefined) return person;
  throw new GatewayError('forbidden', 'only people authorize the gateway at MCP servers');
}

function describeGrant({ server, issuer, resource, scope, wantedScope, isEnded, ...grant }: McpGrant) {
  return {
    ...{ server, issuer, resource },
    scopes: scope.split(' ').filter((one) => one !== ''),
    state: isEnded ? 'ended' : wantedScope === undefined ? 'active' : 'more_scopes',
    created_at: timestamp(grant.createdAtMs),
    refreshed_at: timestamp(grant.updatedAtMs),
  };
}
