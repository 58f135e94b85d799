import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export const fixtureFolder = join(import.meta.dirname, '..', 'fixtures', 'upgrade');

/** `WEIR_SECRET` of the gateways that wrote the fixtures. */
export const upgradeSecret = 'the secret of the gateways that wrote these databases';

/** What a client of the older build knows. */
export interface UpgradeFacts {
  readonly accountId: string;
  readonly email: string;
  readonly password: string;
  readonly keyId: string;
  readonly key: string;
  /** Stored for Anthropic. */
  readonly providerKey: string;
  readonly receiptId: string;
  readonly archiveRef: string;
  readonly patternId: string;
  /** The days with logged calls. */
  readonly fromMs: number;
  readonly toMs: number;
}

export type DialectName = 'sqlite' | 'postgres';

export function upgradeFixture(name: DialectName): { readonly sql: string; readonly facts: UpgradeFacts } {
  return {
    sql: gunzipSync(readFileSync(join(fixtureFolder, `${name}.sql.gz`))).toString(),
    facts: JSON.parse(readFileSync(join(fixtureFolder, `${name}.json`), 'utf8')),
  };
}

export type Select = (sql: string) => Promise<readonly Row[]>;
export type Row = Readonly<Record<string, unknown>>;

const tableNames = {
  sqlite: "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
  postgres: "select table_name as name from information_schema.tables where table_schema = 'public'",
} as const;

/** All rows, by table. */
export async function rowsOf(
  select: Select,
  name: DialectName,
): Promise<ReadonlyMap<string, readonly Row[]>> {
  const rows = new Map<string, readonly Row[]>();
  for (const { name: table } of await select(tableNames[name]))
    rows.set(String(table), await select(`select * from "${table}"`));
  return rows;
}
