import { randomBytes, randomUUID } from 'node:crypto';
import { GatewayError } from '../../kernel/errors.ts';
import type { ScimToken, ScimTokens as ScimTokenTable } from '../../kernel/ports/scim.ts';
import type { Clock } from '../../lib/clock.ts';
import { isUuid } from '../../lib/uuid.ts';
import { limits } from '../limits.ts';
import { hashToken } from '../link-token.ts';
import type { Session } from '../session-tokens.ts';

export interface ScimTokensParts {
  readonly scimTokens: ScimTokenTable;
  readonly keyPrefix: string;
  readonly clock: Clock;
}

/** An identity provider with a valid token. */
export interface ScimClient {
  readonly accountId: string;
  readonly tokenId: string;
}

const secretBytes = 32;
const secretCharacters = 43;

/** The credentials with which identity providers manage the people of organizations. */
export class ScimTokens {
  readonly #parts: ScimTokensParts;
  readonly #prefix: string;

  constructor(parts: ScimTokensParts) {
    this.#parts = parts;
    this.#prefix = `${parts.keyPrefix}_scim_`;
  }

  /** The same error for a wrong token, and for one of another organization. */
  async verify(secret: string | undefined, organizationId: string): Promise<ScimClient> {
    const { scimTokens, clock } = this.#parts;
    const isToken =
      secret?.startsWith(this.#prefix) === true && secret.length === this.#prefix.length + secretCharacters;
    const found = isToken ? await scimTokens.byHash(hashToken(secret)) : undefined;
    if (found?.accountId !== organizationId)
      throw new GatewayError(
        'authentication_required',
        'send a SCIM token of this organization as "authorization: Bearer <token>"',
      );
    const nowMs = clock.now();
    // Not awaited; a failure does not matter.
    if (found.usedAtMs === null || nowMs - found.usedAtMs >= limits.sessionUseMs)
      scimTokens.touch(found.id, nowMs).catch(() => undefined);
    return { accountId: found.accountId, tokenId: found.id };
  }

  list({ accountId }: Pick<Session, 'accountId'>): Promise<readonly ScimToken[]> {
    return this.#parts.scimTokens.list(accountId);
  }

  /** The secret is shown only once. */
  async create(
    { accountId, identityId }: Pick<Session, 'accountId' | 'identityId'>,
    name: string,
  ): Promise<{ readonly token: ScimToken; readonly secret: string }> {
    const { scimTokens, clock } = this.#parts;
    if (String(identityId) === accountId)
      throw new GatewayError('forbidden', 'this is your own account; SCIM is for organizations');
    const secret = this.#prefix + randomBytes(secretBytes).toString('base64url');
    const token: ScimToken = {
      ...{ id: randomUUID(), accountId, name, hash: hashToken(secret) },
      ...{ createdAtMs: clock.now(), usedAtMs: null },
    };
    if (await scimTokens.add(token, limits.scimTokensMax)) return { token, secret };
    throw new GatewayError(
      'scim_token_limit_reached',
      `there are ${limits.scimTokensMax} tokens, which is the most; revoke one first`,
    );
  }

  async revoke({ accountId }: Pick<Session, 'accountId'>, id: string): Promise<void> {
    if (!isUuid(id) || !(await this.#parts.scimTokens.remove(accountId, id)))
      throw new GatewayError('not_found', 'the organization has no such token');
  }
}
