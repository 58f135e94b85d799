import type { z } from 'zod';
import { GatewayError } from '../../kernel/errors.ts';
import type { EgressFetch } from '../../kernel/ports/fetch.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ApiReport } from '../openapi/api-report.ts';
import { readApi } from '../openapi/read-api.ts';
import { limits } from './limits.ts';
import {
  type McpServerSettings,
  mcpServerSettings,
  serverHeaderFault,
  variableFault,
} from './server-settings.ts';

/** What a caller sends of a server. */
export interface GivenServer {
  readonly settings: unknown;
  /** The description of the API, or its address; undefined keeps the one that is stored. */
  readonly description?: { readonly content: string | JsonObject } | { readonly url: string } | undefined;
  readonly headers?: ReadonlyMap<string, string | null> | undefined;
  readonly env?: ReadonlyMap<string, string | null> | undefined;
}

/** A server as it can be stored. */
export interface DefinedServer {
  readonly settings: McpServerSettings;
  readonly document: JsonObject | undefined;
  readonly secrets: ReadonlyMap<string, string | null>;
  /** Of an API whose description was sent. */
  readonly report: ApiReport | undefined;
}

/** Checks a definition. The description of an API is fetched and reduced to what its tools need. */
export async function defineServer(
  { settings: given, description, headers = new Map(), env = new Map() }: GivenServer,
  { fetch, stored }: { readonly fetch: EgressFetch; readonly stored: JsonObject | undefined },
): Promise<DefinedServer> {
  const settings = parseSettings(given);
  const isProgram = settings.command !== undefined;
  const secrets = isProgram ? env : headers;
  if (isProgram && headers.size > 0) throw fieldError('headers', 'a program has no headers; use env');
  if (!isProgram && env.size > 0) throw fieldError('env', 'only a program has variables; use headers');
  const fault = isProgram ? variableFault : serverHeaderFault;
  for (const [name, value] of secrets) {
    const what = fault(name, value ?? '');
    if (what !== undefined) throw fieldError(`${isProgram ? 'env' : 'headers'}.${name.slice(0, 100)}`, what);
  }
  if (settings.openapi === undefined) return { settings, secrets, document: undefined, report: undefined };
  const { base_url: baseUrl, operations } = settings.openapi;
  const document = description ?? (stored === undefined ? undefined : { content: stored });
  if (document === undefined)
    throw fieldError('openapi', 'needs the description of the API: "document", or "document_url"');
  const { allow = [], deny = [], deprecated } = operations ?? {};
  const api = await readApi(
    { document, baseUrl, operations: { allow, deny, ...(deprecated !== undefined && { deprecated }) } },
    fetch,
  );
  const { definition, report } = api;
  const openapi = { ...settings.openapi, base_url: definition.baseUrl };
  return { settings: { ...settings, openapi }, secrets, document: definition.document, report };
}

function parseSettings(given: unknown): McpServerSettings {
  const length = JSON.stringify(given).length;
  if (length > limits.definitionCharactersMax)
    throw fieldError('', `a server has at most ${limits.definitionCharactersMax} characters of JSON`);
  const { data, error } = mcpServerSettings.safeParse(given);
  if (data !== undefined) return data;
  throw issueError(error);
}

function issueError({ issues }: z.ZodError): GatewayError {
  const [first] = issues;
  const path = (first?.path ?? []).map(String).join('.').slice(0, 200);
  return fieldError(path, first?.message ?? 'is wrong');
}

function fieldError(path: string, message: string): GatewayError {
  return new GatewayError('invalid_request', path === '' ? message : `${path}: ${message}`, {
    ...(path !== '' && { param: path }),
  });
}
