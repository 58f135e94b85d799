import { GatewayError } from '../../kernel/errors.ts';
import type { McpCaller } from '../../kernel/ports/mcp.ts';
import type { McpGrant, McpGrantId, McpGrants } from '../../kernel/ports/mcp-authorization.ts';
import type { Clock } from '../../lib/clock.ts';
import type { McpServer } from '../servers/mcp-server.ts';
import type { UpstreamCredential } from '../upstream/server-connection.ts';
import { AuthorizationRequired } from './authorization-required.ts';
import { readBearerChallenge } from './bearer-challenge.ts';
import { limits } from './limits.ts';
import { readableScopes, scopesIn } from './server-discovery.ts';
import type { TokenRefresh } from './token-refresh.ts';
import type { GrantTokens, TokenVault } from './token-vault.ts';

export interface PersonCredentialsParts {
  readonly grants: McpGrants;
  readonly vault: TokenVault;
  readonly refresh: TokenRefresh;
  readonly clock: Clock;
  readonly address: { readonly url: string };
}

/** The page where a person authorizes the gateway at a server. Whoever opens it does so for themselves. */
export function authorizationUrl(
  address: { readonly url: string },
  { accountId, personId, server }: McpGrantId,
): string {
  const query = new URLSearchParams({ account: accountId, person: personId });
  return `${address.url}/mcp/authorize/${encodeURIComponent(server)}?${query}`;
}

/** The credentials with which requests of a caller go to a server with `authorization: 'person'`. */
export class PersonCredentials {
  readonly #parts: PersonCredentialsParts;

  constructor(parts: PersonCredentialsParts) {
    this.#parts = parts;
  }

  /** Throws if the caller acts for no person. */
  of(
    { accountId, personId }: Pick<McpCaller, 'accountId' | 'personId'>,
    server: McpServer,
  ): UpstreamCredential {
    const { transport, name } = server;
    if (transport.kind !== 'http')
      throw new Error(`people don't authorize servers of the kind ${transport.kind}`);
    if (personId === undefined)
      throw new GatewayError(
        'mcp_person_required',
        `the MCP server "${name}" acts for each person, and this API key or service account acts for nobody: a person can let a key act for them with PUT /v1/keys/:id/person`,
      );
    const id = { accountId, personId, server: name };
    return {
      kind: 'person',
      personId,
      accessToken: () => this.#accessToken(id, transport.url),
      onRejected: (token, challenge) => this.#onRejected(id, transport.url, { token, challenge }),
    };
  }

  async #accessToken(id: McpGrantId, serverUrl: string): Promise<string> {
    const { grant, tokens } = await this.#open(id, serverUrl);
    if (!isDue(grant, this.#parts.clock.now())) return tokens.accessToken;
    return (await this.#refreshed(grant, tokens)).accessToken;
  }

  async #onRejected(
    id: McpGrantId,
    serverUrl: string,
    { token, challenge: header }: { readonly token: string; readonly challenge: string | undefined },
  ): Promise<boolean> {
    const challenge = readBearerChallenge(header);
    const { grant, tokens } = await this.#open(id, serverUrl);
    if (challenge?.error === 'insufficient_scope') {
      const wanted = readableScopes([...scopesIn(grant.scope), ...scopesIn(challenge.scope ?? '')]).join(' ');
      if (wanted !== grant.wantedScope) await this.#parts.grants.want(id, wanted);
      throw this.#required(id);
    }
    if (tokens.accessToken !== token) return true;
    if (this.#parts.clock.now() - grant.updatedAtMs < limits.freshTokenMs) return false;
    await this.#refreshed(grant, tokens);
    return true;
  }

  async #open(
    id: McpGrantId,
    serverUrl: string,
  ): Promise<{ readonly grant: McpGrant; readonly tokens: GrantTokens }> {
    const grant = await this.#parts.grants.find(id);
    const tokens =
      grant === undefined || grant.isEnded ? undefined : this.#parts.vault.open(grant, serverUrl);
    if (grant === undefined || tokens === undefined) throw this.#required(id);
    return { grant, tokens };
  }

  async #refreshed(grant: McpGrant, tokens: GrantTokens): Promise<GrantTokens> {
    const { grants, vault, refresh, clock } = this.#parts;
    if (tokens.refreshToken === undefined) await grants.end(grant, grant.version, clock.now());
    const renewed = tokens.refreshToken === undefined ? undefined : await refresh.refresh(grant, tokens);
    const opened = renewed && vault.open(renewed, tokens.serverUrl);
    if (opened === undefined) throw this.#required(grant);
    return opened;
  }

  #required(id: McpGrantId): AuthorizationRequired {
    return new AuthorizationRequired(id.server, authorizationUrl(this.#parts.address, id));
  }
}

/** Some time before the end: the clocks of issuers and servers are others. */
function isDue({ expiresAtMs, updatedAtMs }: McpGrant, nowMs: number): boolean {
  if (expiresAtMs === undefined) return false;
  const aheadMs = Math.min(limits.refreshAheadMs, (expiresAtMs - updatedAtMs) / 5);
  return nowMs >= expiresAtMs - aheadMs;
}
