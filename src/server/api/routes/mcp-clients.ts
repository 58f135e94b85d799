import { z } from 'zod';
import { GatewayError } from '../../../kernel/errors.ts';
import type { McpClient } from '../../../kernel/ports/mcp-authorization.ts';
import { type IssuerClients, isTag } from '../../../mcp/authorization/issuer-clients.ts';
import { limits } from '../../../mcp/authorization/limits.ts';
import { byPerson, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { textSchema, timestamp } from '../text.ts';
import { invalidFieldError, parseQuery } from '../validation.ts';

export interface McpClientRouteParts {
  readonly clients: IssuerClients;
  /** Why the gateway may not connect to an address; undefined if it may. */
  findAddressFault(url: URL): string | undefined;
}

const issuer = textSchema({ min: 1, max: limits.addressCharactersMax }).describe(
  'The issuer, exactly as its metadata has it',
);
const schema = z.strictObject({
  issuer: z.string(),
  client_id: z.string(),
  has_secret: z.boolean(),
  registered: z
    .enum(['by_you', 'by_gateway'])
    .describe('`by_gateway`: by dynamic registration, which is deprecated'),
  redirect_uri: z.string().describe('What the issuer has to know as the redirect address of the client'),
  updated_at: z.iso.datetime(),
});
const unauthenticated = { 401: { description: 'Missing or invalid session token' } };

/** How issuers of MCP servers know the gateway. */
export function mcpClientRoutes({ clients, findAddressFault }: McpClientRouteParts): readonly ApiRoute[] {
  const common = { tag: 'MCP', path: '/v1/mcp/clients', access: byPerson('settings') } as const;
  const describe = (client: McpClient) => ({
    issuer: client.issuer,
    client_id: client.clientId,
    has_secret: client.secret !== undefined,
    registered: client.isDynamic ? 'by_gateway' : 'by_you',
    redirect_uri: clients.redirectUri(client.issuer),
    updated_at: timestamp(client.updatedAtMs),
  });
  return [
    defineRoute({
      ...common,
      method: 'GET',
      summary: 'List the clients at issuers of MCP servers',
      body: noBody,
      responses: {
        200: { description: 'The clients, by issuer', schema: z.strictObject({ clients: z.array(schema) }) },
        ...unauthenticated,
      },
      handle: async ({ caller }) => ({
        body: { clients: (await clients.list(caller.accountId)).map(describe) },
      }),
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      audit: 'mcp_client.stored',
      summary: 'Store a client that you have registered at the issuer of an MCP server',
      body: jsonBody({
        issuer,
        client_id: textSchema({ min: 1, max: 500 }),
        client_secret: textSchema({ min: 1, max: 2000 }).nullable().describe('Null for a public client'),
      }),
      responses: {
        200: { description: 'The client; people have to authorize the gateway again', schema },
        400: { description: 'The body is invalid' },
        409: { description: 'There are too many clients' },
        ...unauthenticated,
      },
      async handle({ caller, body }) {
        const url = URL.parse(body.issuer);
        const fault =
          url === null ? 'must be an address such as https://login.example.com' : findAddressFault(url);
        if (fault !== undefined) throw invalidFieldError(fault, 'issuer');
        const client = await clients.register(caller.accountId, {
          ...{ issuer: body.issuer, clientId: body.client_id, secret: body.client_secret },
        });
        return { body: describe(client), audit: { issuer: client.issuer } };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'mcp_client.deleted',
      summary: 'Delete a client at an issuer',
      query: { issuer },
      body: noBody,
      responses: {
        204: { description: 'It is deleted' },
        400: { description: '`issuer` is missing' },
        404: { description: 'There is no client at this issuer' },
        ...unauthenticated,
      },
      async handle({ caller, query }) {
        const { issuer: named } = parseQuery({ issuer }, query);
        await clients.remove(caller.accountId, named);
        return { status: 204, audit: { issuer: named } };
      },
    }),
    {
      kind: 'own',
      method: 'GET',
      path: '/mcp/clients/:issuer',
      summary: 'The client metadata document for an issuer of MCP servers',
      tag: 'MCP',
      access: 'public',
      responses: {
        200: { description: 'The document' },
        404: { description: 'There is no such document' },
      },
      handle({ parameters: { issuer: tag = '' } }) {
        if (!isTag(tag)) throw new GatewayError('not_found', 'there is no such client');
        return { headers: ['cache-control', 'public, max-age=3600'], body: clients.document(tag) };
      },
    },
  ];
}
