import { randomUUID } from 'node:crypto';
import { GatewayError } from '../kernel/errors.ts';
import { identityIdOf } from '../kernel/ports/identities.ts';
import type {
  ActiveServiceToken,
  ServiceAccount,
  ServiceAccounts as ServiceAccountTable,
  ServiceRole,
  ServiceToken,
} from '../kernel/ports/service-accounts.ts';
import type { Clock } from '../lib/clock.ts';
import { isUuid } from '../lib/uuid.ts';
import { HashedTokens } from './hashed-tokens.ts';
import { limits } from './limits.ts';
import { requireRightsOf } from './rights.ts';
import type { Session } from './session-tokens.ts';

export interface ServiceAccountsParts {
  readonly serviceAccounts: ServiceAccountTable;
  readonly keyPrefix: string;
  readonly clock: Clock;
}

export interface ListedServiceAccount {
  readonly serviceAccount: ServiceAccount;
  readonly tokens: readonly ServiceToken[];
}

export interface CreatedServiceToken {
  readonly token: ServiceToken;
  /** Shown only once. */
  readonly secret: string;
}

const dayMs = 86_400_000;

/**
 * Programs with a role in an account. What they may do is read with each request, so that a change holds at once on all
 * replicas. Nobody changes one that may do more than they may themselves, since its tokens would be theirs.
 */
export class ServiceAccounts {
  readonly #parts: ServiceAccountsParts;
  readonly #tokens: HashedTokens<ActiveServiceToken>;

  constructor(parts: ServiceAccountsParts) {
    this.#parts = parts;
    this.#tokens = new HashedTokens({ ...parts, table: parts.serviceAccounts, kind: 'service' });
  }

  /** The session of a token; undefined if it is none of ours, or is refused. */
  async verify(secret: string): Promise<Session | undefined> {
    const found = await this.#tokens.find(secret);
    if (found === undefined) return undefined;
    const { id, serviceAccountId, accountId, role, expiresAtMs } = found;
    return {
      ...{ identityId: identityIdOf(serviceAccountId), accountId, role, isService: true },
      ...{ tokenId: id, expiresAtMs: expiresAtMs ?? Number.MAX_SAFE_INTEGER },
    };
  }

  async list({ accountId }: Session): Promise<readonly ListedServiceAccount[]> {
    const { serviceAccounts } = this.#parts;
    const tokens = await serviceAccounts.tokens(accountId);
    return (await serviceAccounts.list(accountId)).map((serviceAccount) => ({
      serviceAccount,
      tokens: tokens.filter(({ serviceAccountId }) => serviceAccountId === serviceAccount.id),
    }));
  }

  async find({ accountId }: Session, id: string): Promise<ServiceAccount> {
    const found = isUuid(id) ? await this.#parts.serviceAccounts.find(accountId, id) : undefined;
    if (found === undefined) throw unknownServiceAccountError();
    return found;
  }

  async create(session: Session, name: string, role: ServiceRole): Promise<ServiceAccount> {
    requireRightsOf(session, role);
    const { serviceAccounts, clock } = this.#parts;
    const { accountId } = session;
    const made = { id: randomUUID(), accountId, name, role, createdAtMs: clock.now(), disabledAtMs: null };
    const outcome = await serviceAccounts.add(made, limits.serviceAccountsMax);
    if (outcome === 'name_taken') throw nameTakenError();
    if (outcome === 'limit_reached')
      throw limitError(`${limits.serviceAccountsMax} service accounts`, 'delete one first');
    return made;
  }

  async change(
    session: Session,
    id: string,
    changes: Partial<Pick<ServiceAccount, 'name' | 'role'>>,
  ): Promise<void> {
    if (changes.role !== undefined) requireRightsOf(session, changes.role);
    await this.#apply(session, id, changes);
  }

  /** Its tokens are refused from now on. */
  disable(session: Session, id: string): Promise<void> {
    return this.#apply(session, id, { disabledAtMs: this.#parts.clock.now() });
  }

  enable(session: Session, id: string): Promise<void> {
    return this.#apply(session, id, { disabledAtMs: null });
  }

  async remove(session: Session, id: string): Promise<void> {
    await this.#requireControl(session, id);
    if (!(await this.#parts.serviceAccounts.remove(session.accountId, id)))
      throw unknownServiceAccountError();
  }

  /** Null for a token that doesn't expire. */
  async createToken(session: Session, id: string, days: number | null): Promise<CreatedServiceToken> {
    await this.#requireControl(session, id);
    const { secret, stored } = this.#tokens.create();
    const token: ServiceToken = {
      ...{ ...stored, serviceAccountId: id, accountId: session.accountId },
      expiresAtMs: days === null ? null : stored.createdAtMs + days * dayMs,
    };
    const outcome = await this.#parts.serviceAccounts.addToken(token, limits.serviceTokensMax);
    if (outcome === 'unknown') throw unknownServiceAccountError();
    if (outcome === 'limit_reached')
      throw limitError(`${limits.serviceTokensMax} tokens`, 'revoke one first');
    return { token, secret };
  }

  async revokeToken(session: Session, serviceAccountId: string, id: string): Promise<void> {
    await this.#requireControl(session, serviceAccountId);
    const { accountId } = session;
    const isKnown =
      isUuid(id) && (await this.#parts.serviceAccounts.removeToken({ accountId, serviceAccountId, id }));
    if (!isKnown) throw new GatewayError('not_found', 'the service account has no such token');
  }

  async #apply(
    session: Session,
    id: string,
    changes: Partial<Pick<ServiceAccount, 'name' | 'role' | 'disabledAtMs'>>,
  ): Promise<void> {
    await this.#requireControl(session, id);
    const outcome = await this.#parts.serviceAccounts.change(session.accountId, id, changes);
    if (outcome === 'unknown') throw unknownServiceAccountError();
    if (outcome === 'name_taken') throw nameTakenError();
  }

  async #requireControl(session: Session, id: string): Promise<void> {
    requireRightsOf(session, (await this.find(session, id)).role);
  }
}

function unknownServiceAccountError(): GatewayError {
  return new GatewayError(
    'not_found',
    'no such service account; GET /v1/organization/service-accounts lists them',
  );
}

function nameTakenError(): GatewayError {
  return new GatewayError('service_account_exists', 'the account has a service account of this name', {
    param: 'name',
  });
}

function limitError(most: string, remedy: string): GatewayError {
  return new GatewayError('service_account_limit_reached', `there are ${most}, which is the most; ${remedy}`);
}
