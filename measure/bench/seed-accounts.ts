import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sealContextOf } from '../../src/accounts/provider-key-vault.ts';
import { Sealer } from '../../src/accounts/sealer.ts';
import { createKeyHasher } from '../../src/accounts/secret-hasher.ts';
import { lookupPrefixOf, TokenFormat } from '../../src/accounts/token-format.ts';
import { RootSecrets } from '../../src/gateway/secrets.ts';
import { Secret } from '../../src/lib/secret.ts';
import { openSqlite } from '../../src/storage/sql/sqlite.ts';
import { temporaryFolder } from './temporary-folder.ts';

interface SeededAccounts {
  /** Settings for a gateway with these accounts. */
  readonly environment: Readonly<Record<string, string>>;
  /** An API key of each. */
  readonly keys: readonly string[];
}

const keyPrefix = 'gw';
const provider = 'openai';

/** A data folder with accounts that have an API key and a provider key each. Signing up takes a hundred times as long. */
export async function seedAccounts(count: number): Promise<SeededAccounts> {
  const dataDir = temporaryFolder('weir-bench-');
  const secret = randomBytes(32).toString('hex');
  const rootSecrets = new RootSecrets({
    secret: new Secret(secret),
    previousSecret: undefined,
    stores: undefined,
    dataDir,
  });
  const sealer = new Sealer(rootSecrets.deriveKeys('provider keys'));
  const hasher = createKeyHasher();
  const format = new TokenFormat(keyPrefix, 'live');
  const file = join(dataDir, 'weir.db');
  await (await openSqlite({ file })).close();
  using database = new DatabaseSync(file);
  const addUser = database.prepare(
    `insert into users (id, email, email_folded, password_hash, tier, created_at_ms, overage) values (?, ?, ?, '', 'free', 0, 0)`,
  );
  const addKey = database.prepare(
    `insert into api_keys (id, account_id, prefix, hash, name, created_at_ms, receipts) values (?, ?, ?, ?, 'bench', 0, 0)`,
  );
  const addProviderKey = database.prepare(
    'insert into provider_keys (account_id, provider, sealed_by, sealed, updated_at_ms) values (?, ?, ?, ?, 0)',
  );
  const keys: string[] = [];
  database.exec('begin');
  for (let at = 0; at < count; at++) {
    const accountId = randomUUID();
    const key = format.generate();
    const { sealedBy, sealed } = sealer.seal('sk-bench', sealContextOf({ accountId, provider }));
    addUser.run(accountId, `account-${at}@example.com`, `account-${at}@example.com`);
    addKey.run(randomUUID(), accountId, lookupPrefixOf(key), await hasher.hash(key));
    addProviderKey.run(accountId, provider, sealedBy, sealed);
    keys.push(key);
  }
  database.exec('commit');
  return { environment: { WEIR_DATA_DIR: dataDir, WEIR_SECRET: secret }, keys };
}
