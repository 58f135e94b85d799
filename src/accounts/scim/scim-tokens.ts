import { GatewayError } from '../../kernel/errors.ts';
import type { ScimToken, ScimTokens as ScimTokenTable } from '../../kernel/ports/scim.ts';
import type { Clock } from '../../lib/clock.ts';
import { isUuid } from '../../lib/uuid.ts';
import { HashedTokens } from '../hashed-tokens.ts';
import { limits } from '../limits.ts';
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

/** The credentials with which identity providers manage the people of organizations. */
export class ScimTokens {
  readonly #parts: ScimTokensParts;
  readonly #tokens: HashedTokens<ScimToken>;

  constructor(parts: ScimTokensParts) {
    this.#parts = parts;
    this.#tokens = new HashedTokens({ ...parts, table: parts.scimTokens, kind: 'scim' });
  }

  /** The same error for a wrong token, and for one of another organization. */
  async verify(secret: string | undefined, organizationId: string): Promise<ScimClient> {
    const found = secret === undefined ? undefined : await this.#tokens.find(secret, organizationId);
    if (found === undefined)
      throw new GatewayError(
        'authentication_required',
        'send a SCIM token of this organization as "authorization: Bearer <token>"',
      );
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
    if (String(identityId) === accountId)
      throw new GatewayError('forbidden', 'this is your own account; SCIM is for organizations');
    const { secret, stored } = this.#tokens.create();
    const token = { ...stored, accountId, name };
    if (await this.#parts.scimTokens.add(token, limits.scimTokensMax)) return { token, secret };
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
