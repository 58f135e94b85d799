import { z } from 'zod';
import type { EgressFetch } from '../../kernel/ports/fetch.ts';
import { AuthorizationFailure } from './authorization-failure.ts';
import { type BearerChallenge, readBearerChallenge } from './bearer-challenge.ts';
import { readJson } from './issuer-metadata.ts';
import { limits } from './limits.ts';

const resourceSchema = z.object({
  resource: z.string().max(limits.addressCharactersMax),
  authorization_servers: z.array(z.string().max(limits.addressCharactersMax)).min(1).max(20),
  scopes_supported: z.array(z.string().max(limits.scopeCharactersMax)).max(500).optional(),
});

/** Whom a server trusts, and what for. */
export interface ServerAuthorization {
  /** The resource that tokens are for (RFC 8707). */
  readonly resource: string;
  readonly issuer: string;
  /** What the server asks for; empty if it doesn't say. */
  readonly scopes: readonly string[];
}

/** Asks an MCP server whom it trusts (RFC 9728): where its 401 says so, otherwise at the two well-known places. */
export async function discoverAuthorization(
  egressFetch: EgressFetch,
  server: string,
): Promise<ServerAuthorization> {
  const challenge = await challengeOf(egressFetch, server);
  const document = await readMetadata(egressFetch, server, challenge);
  const { success, data, error } = resourceSchema.safeParse(document);
  if (!success) throw new AuthorizationFailure('no_metadata', error);
  // A hostile server could otherwise have a token made for another one, and use it there.
  if (!covers(data.resource, server)) throw new AuthorizationFailure('resource_mismatch');
  const [issuer = ''] = data.authorization_servers;
  const scopes = challenge?.scope === undefined ? (data.scopes_supported ?? []) : scopesIn(challenge.scope);
  return { resource: data.resource, issuer, scopes: readableScopes(scopes) };
}

/** What the server answers to a request without a token. */
async function challengeOf(egressFetch: EgressFetch, server: string): Promise<BearerChallenge | undefined> {
  const response = await egressFetch(server, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'server/discover',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: {} }),
    timeoutMs: limits.answerMs,
    maxBytes: limits.answerBytesMax,
  }).catch((cause: unknown) => {
    throw new AuthorizationFailure('server_unreachable', cause);
  });
  await response.body?.cancel().catch(() => undefined);
  return response.status === 401 ? readBearerChallenge(response.headers.get('www-authenticate')) : undefined;
}

async function readMetadata(
  egressFetch: EgressFetch,
  server: string,
  challenge: BearerChallenge | undefined,
): Promise<unknown> {
  const { origin, pathname } = new URL(server);
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`;
  const places =
    challenge?.resourceMetadata === undefined
      ? [...(pathname === '/' ? [] : [`${wellKnown}${pathname}`]), wellKnown]
      : [challenge.resourceMetadata];
  let cause: unknown;
  for (const place of places) {
    try {
      return await readJson(egressFetch, place);
    } catch (error) {
      cause ??= error;
    }
  }
  throw new AuthorizationFailure('no_metadata', cause);
}

/** Whether a resource is the address of a server, or a part of its path on the same host. */
export function covers(resource: string, server: string): boolean {
  const [wide, narrow] = [URL.parse(resource), URL.parse(server)];
  if (wide === null || narrow === null || wide.origin !== narrow.origin) return false;
  if (wide.search !== '' || wide.hash !== '' || wide.username !== '') return resource === server;
  const path = wide.pathname.endsWith('/') ? wide.pathname : `${wide.pathname}/`;
  return `${narrow.pathname}/`.startsWith(path);
}

export function scopesIn(text: string): readonly string[] {
  return [...new Set(text.split(' ').filter((scope) => scope !== ''))];
}

/** Without what is no scope (RFC 6749, 3.3), and no more than a person can read. */
export function readableScopes(scopes: readonly string[]): readonly string[] {
  const valid = [...new Set(scopes)].filter((scope) =>
    /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope.slice(0, 200)),
  );
  const few = valid.filter((scope) => scope.length <= 200).slice(0, limits.scopesMax);
  return few.join(' ').length > limits.scopeCharactersMax ? few.slice(0, 10) : few;
}
