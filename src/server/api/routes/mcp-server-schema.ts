import { z } from 'zod';
import type { ApiReport } from '../../../mcp/openapi/api-report.ts';
import type { McpServer } from '../../../mcp/servers/mcp-server.ts';
import type { AccountServer } from '../../../mcp/servers/mcp-servers.ts';
import { registryServer } from '../../../mcp/servers/registry-format.ts';
import type { ServerHealth } from '../../../mcp/servers/server-health.ts';
import { mcpServerFields, serverSecretsField } from '../../../mcp/servers/server-settings.ts';
import { timestamp } from '../text.ts';

const { openapi, ...fields } = mcpServerFields;
const secrets = serverSecretsField.optional();

/** What defines a server. */
export const serverFields = {
  ...fields,
  openapi: openapi
    .unwrap()
    .extend({
      document: z
        .union([z.string(), z.record(z.string(), z.unknown())])
        .optional()
        .describe('The description of the API, in JSON or YAML; without it, the stored one stays'),
      document_url: z.url().optional().describe('Where the description is fetched from, now and not again'),
    })
    .optional()
    .describe('An HTTP API that OpenAPI describes'),
  headers: secrets.describe('Headers of every request. Values are never returned; null keeps the stored one'),
  env: secrets.describe('Variables of the program. Values are never returned; null keeps the stored one'),
} as const;

/** A server of the registry. */
export const importFields = {
  name: z.string().optional().describe('Its name here; by default the last part of its name in the registry'),
  registry: registryServer.or(z.looseObject({ server: registryServer })).describe('A `server.json`'),
  values: z
    .record(z.string(), z.string())
    .optional()
    .describe('What the description leaves open: by names of headers, variables, arguments and `{parts}`'),
} as const;

const healthInfo = z.strictObject({
  status: z.enum(['unknown', 'ok', 'failing']).describe('After the last request of this process'),
  last_success_at: z.iso.datetime().nullable(),
  last_error: z.strictObject({ at: z.iso.datetime(), message: z.string() }).nullable(),
  latency_ms: z.number().nullable().describe('Of the last request that succeeded'),
  protocol_version: z.string().nullable(),
  server_name: z.string().nullable(),
  server_version: z.string().nullable(),
  tools: z.number().nullable(),
  list_digest: z.string().nullable().describe('Of its tools with their descriptions and schemas'),
  list_changed_at: z.iso
    .datetime()
    .nullable()
    .describe('When its tools have changed since they were first seen'),
  list_changes: z.number().describe('How often'),
  left_out: z.array(z.string()).describe('Tools that are not offered because they break a rule'),
});

export const serverInfo = z.strictObject({
  name: z.string(),
  kind: z.enum(['http', 'program', 'openapi']),
  ...fields,
  url: z.string().optional().describe('The address of a server over HTTP'),
  openapi: openapi
    .unwrap()
    .extend({ base_url: z.string().optional().describe('The address of the API') })
    .optional()
    .describe('An HTTP API that OpenAPI describes'),
  headers: z.array(z.string()).describe('The names of its headers'),
  env: z.array(z.string()).describe('The names of its variables'),
  enabled: z.boolean(),
  timeout_ms: z.number(),
  operator: z.boolean().describe('Whether it is a server of the operator, which accounts can’t change'),
  health: healthInfo,
  updatedAt: z.iso.datetime().nullable(),
});

export const serverListInfo = z.strictObject({ servers: z.array(serverInfo) });

/** What an API with a description became. */
const apiInfo = z.strictObject({
  left_out: z
    .array(z.strictObject({ operation: z.string(), reason: z.string() }))
    .describe('Operations that are no tools, at most 200 of them'),
  left_out_count: z.number(),
  ignored_servers: z.array(z.string()).describe('Servers of the description that are never called'),
  credentials: z
    .array(
      z.strictObject({
        scheme: z.string().describe('A secret under this name in `headers` goes where the description says'),
        kind: z.enum(['key', 'bearer', 'basic', 'unsupported']),
        place: z.string(),
      }),
    )
    .describe('How the API wants to know who makes a request'),
});

export function describeApi(report: ApiReport): z.infer<typeof apiInfo> {
  const { leftOut, leftOutCount, ignoredServers, credentials } = report;
  return {
    left_out: leftOut.map((one) => ({ ...one })),
    left_out_count: leftOutCount,
    ignored_servers: [...ignoredServers],
    credentials: credentials.map((one) => ({ ...one })),
  };
}

export const testInfo = z.strictObject({
  ok: z.boolean(),
  detail: z.string().describe('The result in words'),
  protocol_version: z.string().optional(),
  era: z.enum(['sessions', 'stateless']).optional(),
  server_name: z.string().optional(),
  server_version: z.string().optional(),
  capabilities: z.array(z.string()).optional(),
  tools: z.array(z.string()).optional().describe('Their names at the server'),
  left_out: z.array(z.string()).optional(),
  api: apiInfo.optional().describe('Of an API that OpenAPI describes'),
});

export function describeAccountServer({ server, stored, updatedAtMs }: AccountServer, health: ServerHealth) {
  const isProgram = server.transport.kind === 'program';
  return {
    name: server.name,
    kind: server.transport.kind,
    ...stored.settings,
    ...(server.transport.kind === 'http' && { authorization: server.transport.authorization }),
    headers: isProgram ? [] : [...stored.secrets],
    env: isProgram ? [...stored.secrets] : [],
    enabled: server.isEnabled,
    timeout_ms: server.timeoutMs,
    operator: false,
    health: describeHealth(health),
    updatedAt: timestamp(updatedAtMs),
  };
}

/** Accounts see what a server of the operator is for, and neither its program nor its address. */
export function describeInstanceServer(server: McpServer, health: ServerHealth) {
  const { transport } = server;
  return {
    name: server.name,
    kind: transport.kind,
    ...(transport.kind === 'http' && { authorization: transport.authorization }),
    headers: [],
    env: [],
    enabled: server.isEnabled,
    timeout_ms: server.timeoutMs,
    operator: true,
    health: { ...describeHealth(health), last_error: null },
    updatedAt: null,
  };
}

function describeHealth(health: ServerHealth) {
  const { lastError, lastSuccessAtMs, listChangedAtMs, isFailing } = health;
  const time = (atMs: number | undefined) => (atMs === undefined ? null : timestamp(atMs));
  const isKnown = lastSuccessAtMs !== undefined || lastError !== undefined;
  return {
    status: isFailing ? ('failing' as const) : isKnown ? ('ok' as const) : ('unknown' as const),
    last_success_at: time(lastSuccessAtMs),
    last_error:
      lastError === undefined ? null : { at: timestamp(lastError.atMs), message: lastError.message },
    latency_ms: health.latencyMs ?? null,
    protocol_version: health.protocolVersion ?? null,
    server_name: health.serverName ?? null,
    server_version: health.serverVersion ?? null,
    tools: health.tools ?? null,
    list_digest: health.listDigest ?? null,
    list_changed_at: time(listChangedAtMs),
    list_changes: health.listChanges,
    left_out: [...health.leftOut],
  };
}
