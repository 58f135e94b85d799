import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '../../kernel/errors.ts';
import type { McpGrant, McpGrants } from '../../kernel/ports/mcp-authorization.ts';
import type { Clock } from '../../lib/clock.ts';
import type { IssuerClients } from './issuer-clients.ts';
import type { IssuerDirectory } from './issuer-metadata.ts';
import { limits } from './limits.ts';
import type { GrantTokens, TokenVault } from './token-vault.ts';

export interface TokenRefreshParts {
  readonly grants: McpGrants;
  readonly vault: TokenVault;
  readonly issuers: IssuerDirectory;
  readonly clients: IssuerClients;
  readonly clock: Clock;
}

/** Refreshes tokens once on all replicas: an issuer that rotates refresh tokens takes a second use for a theft. */
export class TokenRefresh {
  readonly #parts: TokenRefreshParts;
  readonly #running = new Map<string, Promise<McpGrant | undefined>>();

  constructor(parts: TokenRefreshParts) {
    this.#parts = parts;
  }

  /** Resolves to the authorization with other tokens than before; to undefined if the person has to authorize the gateway again. */
  async refresh(grant: McpGrant, tokens: GrantTokens): Promise<McpGrant | undefined> {
    const running = this.#running.get(grant.version) ?? this.#refreshOrWait(grant, tokens);
    this.#running.set(grant.version, running);
    return running.finally(() => this.#running.delete(grant.version));
  }

  async #refreshOrWait(grant: McpGrant, tokens: GrantTokens): Promise<McpGrant | undefined> {
    const { grants, clock } = this.#parts;
    const untilMs = clock.now() + limits.refreshLeaseMs + limits.answerMs;
    while (clock.now() < untilMs) {
      const lease = { version: grant.version, holder: randomUUID() };
      const nowMs = clock.now();
      if (await grants.lease(grant, lease, { nowMs, untilMs: nowMs + limits.refreshLeaseMs }))
        return this.#refresh(grant, tokens, lease);
      const current = await grants.find(grant);
      if (current === undefined || current.isEnded) return undefined;
      if (current.version !== grant.version) return current;
      await sleep(limits.refreshPollMs);
    }
    throw unavailableError(grant);
  }

  async #refresh(
    grant: McpGrant,
    tokens: GrantTokens,
    lease: { readonly version: string; readonly holder: string },
  ): Promise<McpGrant | undefined> {
    const { grants, vault, clock } = this.#parts;
    try {
      const renewed = vault.renewed(grant, tokens, await this.#ask(grant, tokens));
      if (await grants.renew(renewed, lease)) return renewed;
      const current = await grants.find(grant);
      return current?.isEnded === false && current.version !== grant.version ? current : undefined;
    } catch (cause) {
      if (!isFinal(cause)) {
        await grants.release(grant, lease);
        throw unavailableError(grant, cause);
      }
      await grants.end(grant, grant.version, clock.now());
      return undefined;
    }
  }

  async #ask(grant: McpGrant, { refreshToken = '' }: GrantTokens): Promise<unknown> {
    const client = await import('openid-client');
    const metadata = await this.#parts.issuers.find(grant.issuer);
    const known = await this.#parts.clients.find(grant.accountId, metadata);
    // A refresh token belongs to the client that got it.
    if (known.clientId !== grant.clientId) throw new ClientChanged();
    const configuration = await this.#parts.clients.configure(metadata, known);
    return client.refreshTokenGrant(configuration, refreshToken, { resource: grant.resource });
  }
}

class ClientChanged extends Error {}

/** Whether the issuer has said that this refresh token gives no tokens any more. */
function isFinal(cause: unknown): boolean {
  const { error } = Object(cause);
  return (
    cause instanceof ClientChanged ||
    ['invalid_grant', 'invalid_client', 'unauthorized_client'].includes(error)
  );
}

function unavailableError({ server }: McpGrant, cause?: unknown): GatewayError {
  return new GatewayError(
    'mcp_authorization_failed',
    `the authorization server of the MCP server "${server}" does not renew your authorization at the moment; try again later`,
    { status: 502, detail: 'issuer_unreachable', cause },
  );
}
