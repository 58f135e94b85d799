import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Sealer } from '../../accounts/sealer.ts';
import type { McpGrant, McpGrantId } from '../../kernel/ports/mcp-authorization.ts';
import type { Clock } from '../../lib/clock.ts';
import { limits } from './limits.ts';

const tokensSchema = z.strictObject({
  /** The address of the server that the tokens are for. */
  serverUrl: z.string(),
  accessToken: z.string(),
  refreshToken: z.string().optional(),
});

export type GrantTokens = z.output<typeof tokensSchema>;

/** What a token endpoint answers, as far as the gateway reads it. */
const responseSchema = z.object({
  access_token: z.string().min(1).max(limits.tokenCharactersMax),
  refresh_token: z.string().min(1).max(limits.tokenCharactersMax).optional(),
  expires_in: z.number().positive().optional(),
  scope: z.string().max(limits.scopeCharactersMax).optional(),
});

type GrantPlace = Pick<McpGrant, 'accountId' | 'personId' | 'server' | 'issuer' | 'resource' | 'clientId'>;

/** Seals the tokens of people. They can't be opened for another account, person, server, issuer or resource. */
export class TokenVault {
  readonly #sealer: Sealer;
  readonly #clock: Clock;

  constructor(sealer: Sealer, clock: Clock) {
    this.#sealer = sealer;
    this.#clock = clock;
  }

  /** Undefined unless they are for this address of the server. */
  open(grant: McpGrant, serverUrl: string): GrantTokens | undefined {
    const text = this.#sealer.open(grant.tokens, grantContext(grant));
    const tokens = text === undefined ? undefined : tokensSchema.parse(JSON.parse(text));
    return tokens?.serverUrl === serverUrl ? tokens : undefined;
  }

  /** The tokens of a deleted authorization, whatever the address of the server is now. */
  openDeleted(grant: McpGrant): GrantTokens | undefined {
    const text = this.#sealer.open(grant.tokens, grantContext(grant));
    return text === undefined ? undefined : tokensSchema.parse(JSON.parse(text));
  }

  /** A new authorization by the answer of a token endpoint. */
  grant(place: GrantPlace, serverUrl: string, answer: unknown, askedScope: string): McpGrant {
    const nowMs = this.#clock.now();
    const {
      access_token: accessToken,
      refresh_token: refreshToken,
      expires_in,
      scope,
    } = responseSchema.parse(answer);
    return {
      ...place,
      tokens: this.#seal(place, { serverUrl, accessToken, refreshToken }),
      scope: scope ?? askedScope,
      wantedScope: undefined,
      expiresAtMs: expires_in === undefined ? undefined : nowMs + expires_in * 1000,
      version: randomUUID(),
      isEnded: false,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
  }

  /** After a refresh; an issuer that sends no new refresh token means the old one. */
  renewed(before: McpGrant, tokens: GrantTokens, answer: unknown): McpGrant {
    const { refresh_token: refreshToken = tokens.refreshToken, ...rest } = responseSchema.parse(answer);
    const after = this.grant(
      before,
      tokens.serverUrl,
      { ...rest, refresh_token: refreshToken },
      before.scope,
    );
    return { ...after, wantedScope: before.wantedScope, createdAtMs: before.createdAtMs };
  }

  #seal(place: GrantPlace, { serverUrl, accessToken, refreshToken }: GrantTokens): McpGrant['tokens'] {
    const tokens = { serverUrl, accessToken, ...(refreshToken !== undefined && { refreshToken }) };
    return this.#sealer.seal(JSON.stringify(tokens), grantContext(place));
  }
}

/** What the tokens of an authorization are sealed for. */
export function grantContext({
  accountId,
  personId,
  server,
  issuer,
  resource,
  clientId,
}: GrantPlace & McpGrantId): string {
  return `mcp grant\n${JSON.stringify([accountId, personId, server, issuer, resource, clientId])}`;
}
