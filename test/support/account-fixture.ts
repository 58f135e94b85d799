import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { AccountApiKeys } from '../../src/accounts/account-api-keys.ts';
import { ApiKeyAuthenticator } from '../../src/accounts/api-key-authenticator.ts';
import { KeyUses } from '../../src/accounts/key-uses.ts';
import { SignInMails } from '../../src/accounts/mail/sign-in-mails.ts';
import { Passkeys } from '../../src/accounts/passkeys.ts';
import { ProviderKeyVault } from '../../src/accounts/provider-key-vault.ts';
import { Sealer } from '../../src/accounts/sealer.ts';
import { SecondFactors } from '../../src/accounts/second-factors.ts';
import { createKeyHasher, createPasswordHasher } from '../../src/accounts/secret-hasher.ts';
import { SessionTokens } from '../../src/accounts/session-tokens.ts';
import { UserAccounts } from '../../src/accounts/user-accounts.ts';
import type { ApiKeys, Database } from '../../src/kernel/ports/records.ts';
import type { SharedState } from '../../src/kernel/ports/shared-state.ts';
import { MemorySharedState } from '../../src/storage/memory/memory-shared-state.ts';
import { openEmptyDatabase } from '../../src/testing/empty-database.ts';
import { testPasswordCost } from '../../src/testing/test-gateway.ts';
import { ManualClock } from './manual-clock.ts';

/** Keys of 32 bytes that differ by number. */
export function testKey(number: number): Uint8Array {
  return new Uint8Array(32).fill(number);
}

export type KeyBytes = readonly [Uint8Array, ...Uint8Array[]];

/** All that deals with accounts, on a real database and with a clock that stands still. */
export class AccountFixture {
  readonly clock: ManualClock;
  readonly database: Database;
  readonly shared: SharedState;
  readonly tokens: SessionTokens;
  readonly accounts: UserAccounts;
  readonly uses: KeyUses;
  readonly keys: AccountApiKeys;
  readonly ring: ApiKeyAuthenticator;
  readonly vault: ProviderKeyVault;
  /** Why uses of keys could not be stored. */
  readonly failures: unknown[] = [];

  static async open(t: TestContext): Promise<AccountFixture> {
    const folder = mkdtempSync(join(tmpdir(), 'weir-accounts-'));
    const clock = new ManualClock();
    const database = await openEmptyDatabase(folder);
    t.after(async () => {
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    });
    return new AccountFixture(clock, database, new MemorySharedState(clock));
  }

  private constructor(clock: ManualClock, database: Database, shared: SharedState) {
    this.clock = clock;
    this.database = database;
    this.shared = shared;
    this.tokens = this.tokensSignedBy([testKey(1)]);
    const factors = database.loginFactors;
    const attempts = shared.rateLimiter;
    const passkeys = new Passkeys({ factors, baseUrl: undefined, clock });
    const secondFactors = new SecondFactors({ factors, passkeys, attempts, clock });
    this.accounts = new UserAccounts({
      invitations: database.invitations,
      signUp: 'on',
      identities: database.identities,
      members: database.members,
      signInMails: new SignInMails({ attempts, address: { url: '' }, mailQueue: undefined }),
      ...{ passkeys, secondFactors, attempts },
      tokens: this.tokens,
      passwordHasher: createPasswordHasher(testPasswordCost),
      passwordPolicy: { check: async () => undefined },
      clock,
    });
    const hasher = createKeyHasher();
    const { versions } = shared;
    this.uses = new KeyUses({
      apiKeys: database.apiKeys,
      clock,
      onFailure: (cause) => this.failures.push(cause),
    });
    const shape = { versions, hasher, uses: this.uses, keyPrefix: 'gw', clock };
    this.keys = this.keysIn(database.apiKeys);
    this.ring = new ApiKeyAuthenticator({
      ...{ apiKeys: database.apiKeys, budgets: database.budgets, cacheKey: testKey(2) },
      ...shape,
    });
    this.vault = this.vaultSealedBy([testKey(3)]);
  }

  /** API keys in a table, or with versions, that a test has changed. */
  keysIn(apiKeys: ApiKeys, versions = this.shared.versions): AccountApiKeys {
    const { uses, clock } = this;
    const { projects } = this.database;
    return new AccountApiKeys({
      ...{ apiKeys, projects, versions, hasher: createKeyHasher(), uses, keyPrefix: 'gw', clock },
    });
  }

  tokensSignedBy(keys: KeyBytes): SessionTokens {
    return new SessionTokens({ keys, sessions: this.database.sessions, clock: this.clock });
  }

  vaultSealedBy(keys: KeyBytes): ProviderKeyVault {
    const { providerKeys } = this.database;
    const { versions } = this.shared;
    return new ProviderKeyVault({ providerKeys, versions, sealer: new Sealer(keys), clock: this.clock });
  }

  /** One and the same. */
  async theAccount(): Promise<string> {
    const { identities, members } = this.database;
    const the = await identities.byEmail('the@example.com');
    const [member] = the === undefined ? [] : await members.ofIdentity(the.id);
    return member?.account.id ?? this.account('the@example.com');
  }

  /** A new account; resolves to its id. */
  async account(email = 'ada@example.com'): Promise<string> {
    const login = { email, password: 'correct horse', remoteAddress: '192.0.2.1' };
    return (await this.accounts.signUp(login)).member.account.id;
  }
}
