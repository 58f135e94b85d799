import { randomUUID } from 'node:crypto';
import { GatewayError } from '../kernel/errors.ts';
import { modulesSince } from '../kernel/modules-since.ts';
import type { Projects } from '../kernel/ports/projects.ts';
import type { ApiKey, ApiKeyChanges, ApiKeys, PresentedCredential } from '../kernel/ports/records.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import type { Clock } from '../lib/clock.ts';
import { isUuid } from '../lib/uuid.ts';
import type { KeyUses } from './key-uses.ts';
import { limits } from './limits.ts';
import { archivedProjectError, unknownProjectError } from './projects.ts';
import type { SecretHasher } from './secret-hasher.ts';
import { lookupPrefixOf, TokenFormat } from './token-format.ts';

export interface AccountApiKeysParts {
  readonly apiKeys: ApiKeys;
  readonly projects: Pick<Projects, 'find'>;
  readonly versions: Versions;
  readonly hasher: SecretHasher;
  readonly uses: KeyUses;
  readonly keyPrefix: string;
  readonly clock: Clock;
  /** Called after a key was revoked. It must not throw. */
  onRevoked?(key: ApiKey): void;
}

export interface CreatedKey {
  readonly key: ApiKey;
  /** The full key, shown only once. */
  readonly token: string;
}

/**
 * The API keys of accounts. A change is effective on every replica before it is confirmed: it writes the row, then renews
 * the account's version. If the renewal fails, the client has to retry; every attempt renews, even one that finds nothing
 * to change.
 */
export class AccountApiKeys {
  readonly #parts: AccountApiKeysParts;
  readonly #tokens: TokenFormat;

  constructor(parts: AccountApiKeysParts) {
    this.#parts = parts;
    this.#tokens = new TokenFormat(parts.keyPrefix, 'live');
  }

  /** Throws if the credential `shown` is no longer valid when the key is stored. */
  async create(
    accountId: string,
    chosen: Pick<ApiKey, 'name' | 'pipelineConfig'> & Partial<Pick<ApiKey, 'owner' | 'projectId'>>,
    shown?: PresentedCredential,
  ): Promise<CreatedKey> {
    const { apiKeys, hasher, clock } = this.#parts;
    const { projectId = null } = chosen;
    await this.#requireOpen(accountId, projectId);
    const token = this.#tokens.generate();
    const key: ApiKey = {
      id: randomUUID(),
      accountId,
      prefix: lookupPrefixOf(token),
      hash: await hasher.hash(token),
      name: chosen.name,
      pipelineConfig: chosen.pipelineConfig,
      owner: chosen.owner ?? '',
      modulesSinceMs: modulesSince(chosen.pipelineConfig ?? '', {}, clock.now()),
      createdAtMs: clock.now(),
      lastUsedAtMs: null,
      revokedAtMs: null,
      receipts: false,
      record: null,
      limits: undefined,
      access: undefined,
      projectId,
    };
    if (await apiKeys.add(key, limits.activeKeysMax, shown)) return { key, token };
    throw keyLimitError(projectId);
  }

  /** Into a project, or out of any. */
  async move(accountId: string, id: string, projectId: string | null): Promise<void> {
    const { apiKeys, versions } = this.#parts;
    await this.#requireOpen(accountId, projectId);
    const outcome = isUuid(id)
      ? await apiKeys.move({ accountId, id }, projectId, limits.activeKeysMax)
      : 'unknown';
    if (outcome === 'unknown') throw keyNotFoundError();
    if (outcome === 'limit_reached') throw keyLimitError(projectId);
    await versions.renew(accountId);
  }

  /** A key in an archived project would not work. */
  async #requireOpen(accountId: string, projectId: string | null): Promise<void> {
    if (projectId === null) return;
    const project = await this.#parts.projects.find(accountId, projectId);
    if (project === undefined) throw unknownProjectError();
    if (project.archivedAtMs !== null) throw archivedProjectError();
  }

  /** Of the account, or of one of its projects. */
  async list(accountId: string, projectId?: string): Promise<readonly ApiKey[]> {
    const pending = this.#parts.uses.pending();
    const keys = await this.#parts.apiKeys.list(accountId, projectId);
    return keys.map((key) => ({ ...key, lastUsedAtMs: laterTime(key.lastUsedAtMs, pending(key.id)) }));
  }

  /** A key, active or revoked. */
  async find(accountId: string, id: string): Promise<ApiKey> {
    const key = await this.findIfAny(accountId, id);
    if (key === undefined) throw keyNotFoundError();
    return key;
  }

  async findIfAny(accountId: string, id: string): Promise<ApiKey | undefined> {
    const key = isUuid(id) ? await this.#parts.apiKeys.byId(id) : undefined;
    return key?.accountId === accountId ? key : undefined;
  }

  async change(
    accountId: string,
    id: string,
    changes: Omit<ApiKeyChanges, 'modulesSinceMs'>,
  ): Promise<ApiKey> {
    const { apiKeys, versions } = this.#parts;
    const key = isUuid(id)
      ? await apiKeys.change(accountId, id, await this.#withTimes(id, changes))
      : undefined;
    if (key === undefined) throw keyNotFoundError();
    await versions.renew(accountId);
    return key;
  }

  /** If the pipeline changes, the time is stored for the modules that it adds. */
  async #withTimes(id: string, changes: ApiKeyChanges): Promise<ApiKeyChanges> {
    const { apiKeys, clock } = this.#parts;
    if (changes.pipelineConfig === undefined) return changes;
    const before = (await apiKeys.byId(id))?.modulesSinceMs ?? {};
    return { ...changes, modulesSinceMs: modulesSince(changes.pipelineConfig ?? '', before, clock.now()) };
  }

  async revoke(accountId: string, id: string): Promise<void> {
    const { apiKeys, versions, clock, onRevoked } = this.#parts;
    if (!isUuid(id)) throw keyNotFoundError();
    const isRevoked = await apiKeys.revoke(accountId, id, clock.now());
    await versions.renew(accountId);
    if (!isRevoked) throw keyNotFoundError();
    // The revocation is done, whatever happens to its report.
    const key = onRevoked && (await apiKeys.byId(id).catch(() => undefined));
    if (key !== undefined) onRevoked?.(key);
  }
}

function laterTime(stored: number | null, pending: number | undefined): number | null {
  if (stored === null || pending === undefined) return pending ?? stored;
  return Math.max(stored, pending);
}

function keyLimitError(projectId: string | null): GatewayError {
  const place = projectId === null ? 'account' : 'project';
  return new GatewayError(
    'key_limit_reached',
    `the ${place} has reached the limit of ${limits.activeKeysMax} active keys; revoke one first`,
  );
}

export function keyNotFoundError(): GatewayError {
  return new GatewayError(
    'not_found',
    'this key does not exist or is revoked; GET /v1/keys lists the active keys',
  );
}
