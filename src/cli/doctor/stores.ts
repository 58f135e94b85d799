import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Settings } from '../../gateway/settings.ts';
import { inMemoryDataDir } from '../../storage/settings.ts';
import { migrations } from '../../storage/sql/migrations/index.ts';
import { checkSqlite, querySqlite, readSchemaVersion } from '../../storage/sql/sqlite-backup.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';
import type { KeyPipeline } from './pipelines.ts';

/** What was found of stores, and what their clocks show. */
export interface ServerFindings {
  readonly findings: readonly Finding[];
  /** By whose clock, how far ours is ahead of it. */
  readonly clockAheadMs: Readonly<Record<string, number>>;
  /** Of API keys, as they are in the database. */
  readonly pipelines?: readonly KeyPipeline[];
}

const keyPipelinesQuery = `select pipeline_config as pipeline, count(*) as keys from api_keys
  where pipeline_config is not null and revoked_at_ms is null group by pipeline_config order by 2 desc limit 1000`;

/** Looks at the database and Redis, and changes nothing in them. */
export async function storeFindings({ stores, dataDir }: Settings): Promise<ServerFindings> {
  if (stores === undefined && dataDir === inMemoryDataDir) return { findings: [], clockAheadMs: {} };
  if (stores === undefined) return sqliteFindings(resolve(join(dataDir, 'weir.db')));
  const [database, redis] = await Promise.all([
    postgresFindings(stores.database),
    redisFindings(stores.redis),
  ]);
  return {
    findings: [...database.findings, ...redis.findings],
    clockAheadMs: { ...database.clockAheadMs, ...redis.clockAheadMs },
    pipelines: database.pipelines ?? [],
  };
}

async function sqliteFindings(file: string): Promise<ServerFindings> {
  const finding = await databaseFileFinding(file);
  const hasTables =
    finding.state === 'ok' && existsSync(file) && (await readSchemaVersion(file)) !== undefined;
  const pipelines = hasTables
    ? toKeyPipelines(await querySqlite(file, keyPipelinesQuery).catch(() => []))
    : [];
  return { findings: [finding], clockAheadMs: {}, pipelines };
}

function toKeyPipelines(rows: readonly unknown[]): readonly KeyPipeline[] {
  return rows.map((row) => ({ pipeline: String(Object(row).pipeline), keys: Number(Object(row).keys) }));
}

async function databaseFileFinding(file: string): Promise<Finding> {
  if (!existsSync(file)) return ok('database', `${file} is made at the first start`);
  try {
    const fault = await checkSqlite(file);
    if (fault !== undefined)
      return fail('database', `${file} is damaged: ${fault}`, 'restore a backup: weir restore <file>');
    const size = `${Math.ceil(statSync(file).size / 1024 / 1024)} MiB`;
    return schemaFinding(await readSchemaVersion(file), `${file}, ${size}, is whole`);
  } catch (thrown) {
    return fail('database', `${file}: ${reasonOf(thrown)}`, 'restore a backup: weir restore <file>');
  }
}

function schemaFinding(version: number | undefined, found: string): Finding {
  const known = migrations.length;
  if (version === undefined) return ok('database', `${found}; its tables are made at the next start`);
  if (version === known) return ok('database', `${found}; schema version ${version}`);
  if (version < known)
    return ok('database', `${found}; schema version ${version} becomes ${known} at the next start`);
  return fail(
    'database',
    `${found}; it has schema version ${version}, and this Weir knows versions up to ${known}`,
    'start the newer Weir that made it',
  );
}

async function postgresFindings(url: string): Promise<ServerFindings> {
  const { PostgresPool } = await import('../../storage/sql/postgres-pool.ts');
  const { defaultPoolBounds } = await import('../../storage/sql/sql-database.ts');
  const links = new PostgresPool(url, defaultPoolBounds);
  try {
    const pooledConnection = await links.acquire();
    try {
      const askedAtMs = Date.now();
      const { rows } = await pooledConnection.run(
        "select version() as name, extract(epoch from clock_timestamp()) * 1000 as now, to_regclass('schema_migrations') is not null as made",
      );
      const ms = Date.now() - askedAtMs;
      const { name, now, made } = Object(rows[0]);
      const version = made
        ? await pooledConnection.run('select max(version) as version from schema_migrations')
        : undefined;
      const schemaVersion = version === undefined ? undefined : Number(Object(version.rows[0]).version);
      const found = `${String(name).split(' ').slice(0, 2).join(' ')} answers in ${ms} ms`;
      const { rows: pipelines } = made ? await pooledConnection.run(keyPipelinesQuery) : { rows: [] };
      return {
        findings: [schemaFinding(schemaVersion, found)],
        clockAheadMs: { PostgreSQL: askedAtMs + ms / 2 - Number(now) },
        pipelines: toKeyPipelines(pipelines),
      };
    } finally {
      pooledConnection.release();
    }
  } catch (thrown) {
    const todo = 'see DATABASE_URL: its host, user, password and database, and whether the server runs';
    return { findings: [fail('database', reasonOf(thrown), todo)], clockAheadMs: {} };
  } finally {
    await links.close();
  }
}

async function redisFindings(url: string): Promise<ServerFindings> {
  const { RedisConnection } = await import('../../storage/redis/redis-connection.ts');
  let cause: unknown;
  const link = await RedisConnection.open({
    url,
    onChange: (_, why) => {
      cause ??= why;
    },
  });
  try {
    const askedAtMs = Date.now();
    const time = await link.send(['TIME']);
    const ms = Date.now() - askedAtMs;
    const [seconds = 0, micros = 0] = Array.isArray(time) ? time.map(Number) : [];
    return {
      findings: [ok('redis', `Redis answers in ${ms} ms`), ...(await evictionFindings(link))],
      clockAheadMs: { Redis: askedAtMs + ms / 2 - (seconds * 1000 + micros / 1000) },
    };
  } catch (thrown) {
    const todo = 'see REDIS_URL: its host and password, and whether the server runs';
    return { findings: [fail('redis', reasonOf(cause ?? thrown), todo)], clockAheadMs: {} };
  } finally {
    link.close();
  }
}

/** A Redis that is full and evicts nothing refuses writes, and calls with them. */
async function evictionFindings(link: {
  send(command: readonly string[]): Promise<unknown>;
}): Promise<readonly Finding[]> {
  const answers = await Promise.all(
    ['maxmemory', 'maxmemory-policy'].map((name) => link.send(['CONFIG', 'GET', name]).catch(() => [])),
  );
  // Some hosts don't let their settings be read, and know what they do.
  const [most, policy] = answers.map((answer) => (Array.isArray(answer) ? String(answer[1]) : ''));
  if (!most || most === 'undefined' || most === '0' || policy !== 'noeviction') return [];
  return [
    warn(
      'redis',
      `it holds ${most} bytes and then refuses writes (maxmemory-policy noeviction)`,
      'set maxmemory-policy allkeys-lru',
    ),
  ];
}
