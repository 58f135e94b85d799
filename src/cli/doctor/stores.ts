import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Settings } from '../../gateway/settings.ts';
import { inMemoryDataDir } from '../../storage/settings.ts';
import { migrations } from '../../storage/sql/migrations/index.ts';
import { checkSqlite, querySqlite, readSchemaVersion } from '../../storage/sql/sqlite-backup.ts';
import { type NamedResult, reasonOf } from '../../telemetry/diagnostics.ts';
import { fail, ok, warn } from './finding.ts';
import type { KeyPipeline } from './pipelines.ts';

/** Findings about stores, and the differences to their clocks. */
export interface ServerFindings {
  readonly findings: readonly NamedResult[];
  /** By server, how far our clock is ahead of its clock. */
  readonly clockAheadMs: Readonly<Record<string, number>>;
  /** Pipelines of API keys in the database. */
  readonly pipelines?: readonly KeyPipeline[];
}

/** Two replicas, and one more during an update. */
const processesMin = 3;

type DatabaseSettings = Pick<NonNullable<Settings['stores']>, 'database' | 'pool'>;

const keyPipelinesQuery = `select pipeline_config as pipeline, count(*) as keys from api_keys
  where pipeline_config is not null and revoked_at_ms is null group by pipeline_config order by 2 desc limit 1000`;

/** Checks the database and Redis without changing them. */
export async function storeFindings({ stores, dataDir }: Settings): Promise<ServerFindings> {
  if (stores === undefined && dataDir === inMemoryDataDir) return { findings: [], clockAheadMs: {} };
  if (stores === undefined) return sqliteFindings(resolve(join(dataDir, 'weir.db')));
  const [database, redis] = await Promise.all([postgresFindings(stores), redisFindings(stores)]);
  return {
    findings: [...database.findings, ...redis.findings],
    clockAheadMs: { ...database.clockAheadMs, ...redis.clockAheadMs },
    pipelines: database.pipelines ?? [],
  };
}

async function sqliteFindings(file: string): Promise<ServerFindings> {
  const finding = await databaseFileFinding(file);
  const hasTables =
    finding.status === 'ok' && existsSync(file) && (await readSchemaVersion(file)) !== undefined;
  const pipelines = hasTables
    ? toKeyPipelines(await querySqlite(file, keyPipelinesQuery).catch(() => []))
    : [];
  return { findings: [finding], clockAheadMs: {}, pipelines };
}

function toKeyPipelines(rows: readonly unknown[]): readonly KeyPipeline[] {
  return rows.map((row) => ({ pipeline: String(Object(row).pipeline), keys: Number(Object(row).keys) }));
}

async function databaseFileFinding(file: string): Promise<NamedResult> {
  if (!existsSync(file)) return ok('database', `${file} will be created at the first start`);
  try {
    const fault = await checkSqlite(file);
    if (fault !== undefined)
      return fail('database', `${file} is damaged: ${fault}`, 'restore a backup: weir restore <file>');
    const size = `${Math.ceil(statSync(file).size / 1024 / 1024)} MiB`;
    return schemaFinding(await readSchemaVersion(file), `${file}, ${size}, passed the integrity check`);
  } catch (thrown) {
    return fail('database', `${file}: ${reasonOf(thrown)}`, 'restore a backup: weir restore <file>');
  }
}

function schemaFinding(version: number | undefined, found: string): NamedResult {
  const newest = migrations.length;
  if (version === undefined) return ok('database', `${found}; its tables will be created at the next start`);
  if (version === newest) return ok('database', `${found}; schema version ${version}`);
  if (version < newest)
    return ok(
      'database',
      `${found}; schema version ${version} will be migrated to ${newest} at the next start`,
    );
  return fail(
    'database',
    `${found}; it has schema version ${version}, and this Weir supports versions up to ${newest}`,
    'use the newer Weir version that created it',
  );
}

async function postgresFindings({ database: url, pool }: DatabaseSettings): Promise<ServerFindings> {
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
      const found = `${String(name).split(' ').slice(0, 2).join(' ')} responds in ${ms} ms`;
      const { rows: pipelines } = made ? await pooledConnection.run(keyPipelinesQuery) : { rows: [] };
      const { rows: settings } = await pooledConnection.run(
        "select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most",
      );
      return {
        findings: [
          schemaFinding(schemaVersion, found),
          ...poolFindings(Number(Object(settings[0]).most), pool),
        ],
        clockAheadMs: { PostgreSQL: askedAtMs + ms / 2 - Number(now) },
        pipelines: toKeyPipelines(pipelines),
      };
    } finally {
      pooledConnection.release();
    }
  } catch (thrown) {
    const todo =
      'check the host, user, password and database in DATABASE_URL, and whether the server is running';
    return { findings: [fail('database', reasonOf(thrown), todo)], clockAheadMs: {} };
  } finally {
    await links.close();
  }
}

/** Every process of every replica opens a pool, and a rolling update has one replica more. */
function poolFindings(connectionsMax: number, pool: number): readonly NamedResult[] {
  const processes = Math.floor(connectionsMax / pool);
  if (processes >= processesMin) return [];
  const found = `it allows ${connectionsMax} connections, enough for ${processes} processes with WEIR_DATABASE_POOL=${pool}`;
  return [warn('database', found, 'raise max_connections, lower WEIR_DATABASE_POOL, or use PgBouncer')];
}

async function redisFindings({
  redis: url,
  counts,
}: Pick<NonNullable<Settings['stores']>, 'redis' | 'counts'>): Promise<ServerFindings> {
  const { RedisConnection } = await import('../../storage/redis/redis-connection.ts');
  const { readRedisTime } = await import('../../storage/redis/redis-time.ts');
  let cause: unknown;
  const link = await RedisConnection.open({
    url,
    onChange: (_, why) => {
      cause ??= why;
    },
  });
  try {
    const { nodes } = link;
    const askedAtMs = Date.now();
    const [redisMs] = await Promise.all([readRedisTime(link), ...nodes.map((node) => node.send(['PING']))]);
    const ms = Date.now() - askedAtMs;
    const name = nodes[0]?.isCluster ? `a Redis cluster of ${nodes.length} masters` : 'Redis';
    const evictions = await Promise.all(nodes.map(evictionFindings));
    return {
      findings: [ok('redis', `${name} responds in ${ms} ms`), ...evictions.flat()],
      clockAheadMs: { Redis: askedAtMs + ms / 2 - redisMs },
    };
  } catch (thrown) {
    const todo = 'check the host and password in REDIS_URL, and whether the server is running';
    const report = counts === 'redis' ? fail : warn;
    return { findings: [report('redis', reasonOf(cause ?? thrown), todo)], clockAheadMs: {} };
  } finally {
    link.close();
  }
}

/** A full Redis without eviction rejects writes, so calls fail. */
async function evictionFindings(link: {
  send(command: readonly string[]): Promise<unknown>;
}): Promise<readonly NamedResult[]> {
  const answers = await Promise.all(
    ['maxmemory', 'maxmemory-policy'].map((name) => link.send(['CONFIG', 'GET', name]).catch(() => [])),
  );
  // Some hosting services hide these settings; those are not checked.
  const [most, policy] = answers.map((answer) => (Array.isArray(answer) ? String(answer[1]) : ''));
  if (!most || most === 'undefined' || most === '0' || policy !== 'noeviction') return [];
  return [
    warn(
      'redis',
      `it rejects writes once it holds ${most} bytes (maxmemory-policy noeviction)`,
      'set maxmemory-policy allkeys-lru',
    ),
  ];
}
