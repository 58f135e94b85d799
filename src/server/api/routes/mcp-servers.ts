import { countAttempt } from '../../../accounts/count-attempt.ts';
import { changeOf } from '../../../audit/change.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { EgressFetch } from '../../../kernel/ports/fetch.ts';
import type { RateLimiter } from '../../../kernel/ports/shared-state.ts';
import { compileApi } from '../../../mcp/openapi/compile-api.ts';
import { type DefinedServer, defineServer } from '../../../mcp/servers/define-server.ts';
import type { InstanceServers } from '../../../mcp/servers/instance-servers.ts';
import { limits } from '../../../mcp/servers/limits.ts';
import type { AccountServer, McpServers } from '../../../mcp/servers/mcp-servers.ts';
import { importFromRegistry } from '../../../mcp/servers/registry-format.ts';
import type { ServerHealths } from '../../../mcp/servers/server-health.ts';
import { unknownServerError } from '../../../mcp/servers/server-name.ts';
import { testServer } from '../../../mcp/servers/test-server.ts';
import type { ServerConnections } from '../../../mcp/upstream/server-connections.ts';
import { type AccountCaller, credentialOf } from '../access.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import {
  describeAccountServer,
  describeApi,
  describeInstanceServer,
  importFields,
  serverFields,
  serverInfo,
  serverListInfo,
  testInfo,
} from './mcp-server-schema.ts';

export interface McpServerRouteParts {
  readonly servers: McpServers;
  readonly connections: ServerConnections;
  readonly health: ServerHealths;
  readonly instance: InstanceServers;
  readonly attempts: RateLimiter;
  readonly fetch: EgressFetch;
  /** Whether accounts can start programs here. */
  readonly hasPrograms: boolean;
}

const unauthenticated = { 401: { description: 'Missing or invalid credential' } };
const notFound = { 404: { description: 'The account has no such MCP server' } };
const refused = {
  400: { description: 'The settings are invalid' },
  403: { description: 'API keys can read servers only, or the gateway does not allow this one' },
  409: { description: 'The account has too many MCP servers, or too large ones' },
};

/** The MCP servers of an account, and those of the operator that it can use. */
export function mcpServerRoutes(parts: McpServerRouteParts): readonly ApiRoute[] {
  const { servers, connections, health, instance, attempts, fetch, hasPrograms } = parts;
  const common = { tag: 'MCP', access: bySessionOrKey('settings') } as const;
  const path = '/v1/mcp/servers/:name';
  const describe = (one: AccountServer) => describeAccountServer(one, health.of(one.server));
  const find = async (caller: AccountCaller, name: string) => {
    const own = (await servers.list(caller.accountId)).find(({ server }) => server.name === name);
    if (own !== undefined && sees(caller, own)) return describe(own);
    const shared = own === undefined ? instance.servers.get(name) : undefined;
    if (shared === undefined) throw unknownServerError(name);
    return describeInstanceServer(shared, health.of(shared));
  };
  const store = async (caller: AccountCaller, name: string, defined: DefinedServer) => {
    const id = { accountId: caller.accountId, name };
    const { secrets, settings, document } = defined;
    const before = (await servers.list(id.accountId)).find(({ server }) => server.name === name);
    const stored = await servers.put(id, { settings, document }, { secrets, shown: credentialOf(caller) });
    const change = changeOf(before === undefined ? {} : auditedFields(before), auditedFields(stored));
    return { body: describe(stored), audit: { mcpServer: name, ...change } };
  };
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/mcp/servers',
      summary: 'List the MCP servers of the account, and those of the operator',
      body: noBody,
      responses: { 200: { description: 'The servers by name', schema: serverListInfo }, ...unauthenticated },
      async handle({ caller }) {
        const own = await servers.list(caller.accountId);
        const names = new Set(own.map(({ server }) => server.name));
        const shared = [...instance.servers.values()].filter(({ name }) => !names.has(name));
        const all = [
          ...own.filter((one) => sees(caller, one)).map(describe),
          ...shared.map((server) => describeInstanceServer(server, health.of(server))),
        ];
        return { body: { servers: all.sort((a, b) => (a.name < b.name ? -1 : 1)) } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'mcp_server.stored',
      path: '/v1/mcp/servers',
      summary: 'Add an MCP server as the MCP registry describes it',
      body: jsonBody(importFields),
      responses: {
        200: { description: 'It is in use on all replicas', schema: serverInfo },
        ...refused,
        ...unauthenticated,
      },
      async handle({ caller, body: { name, registry, values = {} } }) {
        const { settings, secrets } = importFromRegistry(registry, { values, hasPrograms });
        const given = settings.command === undefined ? { headers: secrets } : { env: secrets };
        const defined = await defineServer({ settings, ...given }, { fetch, stored: undefined });
        return store(caller, name ?? nameIn(registry), defined);
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path,
      summary: 'Get an MCP server with its health',
      body: noBody,
      responses: { 200: { description: 'The server', schema: serverInfo }, ...unauthenticated, ...notFound },
      handle: async ({ caller, parameters: { name = '' } }) => ({ body: await find(caller, name) }),
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      audit: 'mcp_server.stored',
      path,
      summary: 'Define an MCP server, or replace its definition',
      body: jsonBody(serverFields),
      responses: {
        200: { description: 'It is in use on all replicas', schema: serverInfo },
        ...refused,
        ...unauthenticated,
      },
      async handle({ caller, parameters: { name = '' }, body }) {
        const { headers, env, openapi, ...settings } = body;
        const { document, document_url: url, ...api } = openapi ?? {};
        const known = (await servers.list(caller.accountId)).find(({ server }) => server.name === name);
        const defined = await defineServer(
          {
            settings: openapi === undefined ? settings : { ...settings, openapi: api },
            description:
              document !== undefined ? { content: document } : url !== undefined ? { url } : undefined,
            headers: new Map(Object.entries(headers ?? {})),
            env: new Map(Object.entries(env ?? {})),
          },
          { fetch, stored: known?.stored.document },
        );
        return store(caller, name, defined);
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'mcp_server.deleted',
      path,
      summary: 'Delete an MCP server with its secrets; calls of its tools are rejected',
      body: noBody,
      responses: {
        204: { description: 'It is deleted' },
        403: refused[403],
        ...unauthenticated,
        ...notFound,
      },
      async handle({ caller, parameters: { name = '' } }) {
        const id = { accountId: caller.accountId, name };
        const before = auditedFields(await servers.get(id));
        await servers.delete(id);
        return { status: 204, audit: { mcpServer: name, ...changeOf(before, {}) } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'none',
      path: `${path}/test`,
      summary: 'Connect to an MCP server anew, and list its tools',
      body: noBody,
      responses: {
        200: { description: 'The result of the test', schema: testInfo },
        403: { description: 'The gateway does not allow this server' },
        429: { description: 'Too many attempts' },
        ...unauthenticated,
        ...notFound,
      },
      async handle({ caller, parameters: { name = '' } }) {
        const { accountId } = caller;
        await find(caller, name);
        await countAttempt(attempts, `mcp-test:${accountId}`, limits.testsPerAccount);
        const server = (await servers.serversOf({ accountId })).get(name);
        if (server === undefined)
          throw new GatewayError('forbidden', `this gateway does not allow the MCP server "${name}"`);
        const found = await testServer(connections, { server, accountId });
        const { serverInfo: info } = found;
        return {
          body: {
            ok: found.ok,
            detail: found.detail,
            ...(found.protocolVersion !== undefined && { protocol_version: found.protocolVersion }),
            ...(found.era !== undefined && { era: found.era }),
            ...(info !== undefined && { server_name: info.name, server_version: info.version }),
            ...(found.capabilities !== undefined && { capabilities: [...found.capabilities] }),
            ...(found.tools !== undefined && { tools: [...found.tools] }),
            ...(found.leftOut !== undefined && { left_out: [...found.leftOut] }),
            ...(server.transport.kind === 'openapi' && {
              api: describeApi(compileApi(server.transport).report),
            }),
          },
        };
      },
    }),
  ];
}

/** A key of a project sees the servers of its project. */
export function sees(caller: AccountCaller, { server }: Pick<AccountServer, 'server'>): boolean {
  if (caller.kind !== 'key' || server.projects.length === 0) return true;
  return caller.projectId !== null && server.projects.includes(caller.projectId);
}

/** What the audit log has of a server: neither secrets nor the description of an API. */
function auditedFields({ stored }: AccountServer) {
  return { ...stored.settings, secrets: stored.secrets };
}

/** The last part of `io.github.acme/weather-mcp`. */
function nameIn(registry: { readonly name?: unknown; readonly server?: unknown }): string {
  const { name } = typeof registry.name === 'string' ? registry : Object(registry.server);
  const [last = ''] = String(name).split('/').slice(-1);
  return last
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 32)
    .replace(/-$/, '');
}
