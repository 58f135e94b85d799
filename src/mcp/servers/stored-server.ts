import { hash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { GatewayError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject, jsonObjectIn } from '../../lib/json.ts';
import { limits } from './limits.ts';
import type { McpServer, McpTransport } from './mcp-server.ts';
import { type McpServerSettings, mcpServerSettings } from './server-settings.ts';

/** A server as it is stored. */
export interface StoredServer {
  readonly settings: McpServerSettings;
  /** The names of its headers or variables, whose values are stored with the keys. */
  readonly secrets: readonly string[];
  /** The description of its API. */
  readonly document: JsonObject | undefined;
}

const storedParts = z.object({
  secrets: z.array(z.string().max(200)).max(limits.secretsMax).default([]),
  document: z.string().max(limits.packedCharactersMax).optional(),
});

/** Undefined for what this version can't read. */
export function readServer(content: unknown): StoredServer | undefined {
  if (!isJsonObject(content)) return undefined;
  const { secrets, document: packed, ...rest } = content;
  const settings = mcpServerSettings.safeParse(rest);
  const parts = storedParts.safeParse({ secrets, document: packed });
  if (!settings.success || !parts.success) return undefined;
  const document = parts.data.document === undefined ? undefined : unpack(parts.data.document);
  if ((settings.data.openapi === undefined) !== (document === undefined)) return undefined;
  return { settings: settings.data, secrets: parts.data.secrets, document };
}

/** The form in which it is stored. Descriptions of APIs are large, and small when compressed. */
export function serverContent({ settings, secrets, document }: StoredServer): JsonObject {
  return {
    ...settings,
    ...(secrets.length > 0 && { secrets }),
    ...(document !== undefined && { document: pack(document) }),
  };
}

/** The server that it defines. */
export function toServer(accountId: string | undefined, name: string, stored: StoredServer): McpServer {
  const { settings } = stored;
  return {
    accountId,
    name,
    // The same in all processes.
    version: hash('sha256', JSON.stringify([settings, stored.secrets, stored.document])).slice(0, 32),
    transport: transportOf(stored),
    tools: { allow: settings.tools?.allow ?? [], deny: settings.tools?.deny ?? [] },
    access: (settings.access ?? []).map(({ tools, keys, roles, people }) => ({
      tools,
      ...(keys !== undefined && { keys }),
      ...(roles !== undefined && { roles }),
      ...(people !== undefined && { people }),
    })),
    projects: settings.projects ?? [],
    timeoutMs: settings.timeout_ms ?? limits.timeoutMs,
    isEnabled: settings.enabled ?? true,
  };
}

function transportOf({ settings, secrets, document = {} }: StoredServer): McpTransport {
  const { url, command, args = [], openapi, authorization } = settings;
  if (url !== undefined)
    return { kind: 'http', url, authorization: authorization ?? (secrets.length > 0 ? 'headers' : 'none') };
  if (command !== undefined) return { kind: 'program', command, args };
  const { allow = [], deny = [], deprecated } = openapi?.operations ?? {};
  return {
    kind: 'openapi',
    baseUrl: openapi?.base_url ?? '',
    document,
    authorization: secrets.length > 0 ? 'headers' : 'none',
    operations: { allow, deny, ...(deprecated !== undefined && { deprecated }) },
  };
}

/** What secrets are stored for: the origin of the address, or the program with its arguments. */
export function secretsTarget({ url, command, args = [], openapi }: McpServerSettings): string {
  if (command !== undefined) return JSON.stringify([command, ...args]);
  return new URL(url ?? openapi?.base_url ?? 'https://invalid').origin;
}

function pack(document: JsonObject): string {
  const packed = gzipSync(JSON.stringify(document)).toString('base64');
  if (packed.length <= limits.packedCharactersMax) return packed;
  throw new GatewayError(
    'invalid_request',
    `openapi: the description is too large even when compressed (${packed.length} characters, at most ${limits.packedCharactersMax}); choose fewer operations`,
    { param: 'openapi' },
  );
}

/** Undefined for what nobody could have stored here. */
function unpack(packed: string): JsonObject | undefined {
  try {
    return jsonObjectIn(
      gunzipSync(Buffer.from(packed, 'base64'), { maxOutputLength: limits.packedBytesMax }),
    );
  } catch {
    return undefined;
  }
}
