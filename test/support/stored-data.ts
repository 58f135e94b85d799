import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { Environment } from '../../src/gateway/settings.ts';
import { connectRedisClient } from './redis-client.ts';

/** Whatever is kept, by the table, name or file that it is in. */
export type StoredData = ReadonlyMap<string, Buffer>;

/** All tables, all of Redis and all files of a gateway. */
export async function readAllStoredData(environment: Environment): Promise<StoredData> {
  const { DATABASE_URL, REDIS_URL, WEIR_DATA_DIR = '' } = environment;
  const files = filesIn(WEIR_DATA_DIR);
  if (DATABASE_URL === undefined) return new Map([...sqliteTables(join(WEIR_DATA_DIR, 'weir.db')), ...files]);
  return new Map([...(await postgresTables(DATABASE_URL)), ...(await redisNames(REDIS_URL ?? '')), ...files]);
}

/** Where a text is found, in whatever way it may be written. */
export function placesWith(text: string, kept: StoredData): readonly string[] {
  const bytes = Buffer.from(text);
  const ways = [bytes, Buffer.from(bytes.toString('hex')), Buffer.from(JSON.stringify(text).slice(1, -1))];
  return [...kept].filter(([, content]) => ways.some((way) => content.includes(way))).map(([place]) => place);
}

function sqliteTables(file: string): StoredData {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
  const rows = tables.map(({ name }) => {
    const all = database.prepare(`select * from "${name}"`).all();
    return [String(name), Buffer.from(JSON.stringify(all, asHex) + decodedReceipts(all))] as const;
  });
  database.close();
  return new Map(rows);
}

async function postgresTables(url: string): Promise<StoredData> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const tables = new Map<string, Buffer>();
  for (const { name } of rows) {
    const all = (await client.query(`select * from "${name}"`)).rows;
    tables.set(name, Buffer.from(JSON.stringify(all, asHex) + decodedReceipts(all)));
  }
  await client.end();
  return tables;
}

async function redisNames(url: string): Promise<StoredData> {
  const client = await connectRedisClient(url);
  const names = new Map<string, Buffer>();
  for (const name of await client.keys('*')) {
    const dump = await client.sendCommand(['DUMP', name]);
    names.set(`redis ${name}`, Buffer.from(`${name} ${String(dump)}`));
  }
  client.destroy();
  return names;
}

function filesIn(folder: string): StoredData {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    names.map(({ parentPath, name }) => [`file ${name}`, readFileSync(join(parentPath, name))] as const),
  );
}

function asHex(_: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  const isBuffer = typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';
  return isBuffer && 'data' in value && Array.isArray(value.data)
    ? Buffer.from(value.data).toString('hex')
    : value;
}

/** What a receipt says stands there in base64. */
function decodedReceipts(rows: readonly object[]): string {
  return rows
    .map((row) =>
      'jws' in row ? Buffer.from(String(row.jws).split('.')[1] ?? '', 'base64url').toString() : '',
    )
    .join('\n');
}
