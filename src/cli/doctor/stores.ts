import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Settings } from '../../gateway/settings.ts';
import { inMemory } from '../../storage/settings.ts';
import { migrations } from '../../storage/sql/migrations/index.ts';
import { faultOfSqlite, rowsOfSqlite, schemaVersionOf } from '../../storage/sql/sqlite-copy.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';
import type { KeyPipeline } from './pipelines.ts';

/** What was found of stores, and what their clocks show. */
export interface StoreFindings {
  readonly findings: readonly Finding[];
  /** By whose clock, how far ours is ahead of it. */
  readonly aheadMs: Readonly<Record<string, number>>;
  /** Of API keys, as they are in the database. */
  readonly pipelines?: readonly KeyPipeline[];
}

const setPipelines = `select pipeline_config as pipeline, count(*) as keys from api_keys
  where pipeline_config is not null and revoked_at_ms is null group by pipeline_config order by 2 desc limit 1000`;

/** Looks at the database and Redis, and changes nothing in them. */
export async function storeFindings({ stores, dataDir }: Settings): Promise<StoreFindings> {
  if (stores === undefined && dataDir === inMemory) return { findings: [], aheadMs: {} };
  if (stores === undefined) return embedded(resolve(join(dataDir, 'weir.db')));
  const [database, redis] = await Promise.all([postgres(stores.database), redisServer(stores.redis)]);
  return {
    findings: [...database.findings, ...redis.findings],
    aheadMs: { ...database.aheadMs, ...redis.aheadMs },
    pipelines: database.pipelines ?? [],
  };
}

async function embedded(file: string): Promise<StoreFindings> {
  const finding = await findingOfFile(file);
  const hasTables = finding.state === 'ok' && existsSync(file) && (await schemaVersionOf(file)) !== undefined;
  const pipelines = hasTables ? pipelinesIn(await rowsOfSqlite(file, setPipelines).catch(() => [])) : [];
  return { findings: [finding], aheadMs: {}, pipelines };
}

function pipelinesIn(rows: readonly unknown[]): readonly KeyPipeline[] {
  return rows.map((row) => ({ pipeline: String(Object(row).pipeline), keys: Number(Object(row).keys) }));
}

async function findingOfFile(file: string): Promise<Finding> {
  if (!existsSync(file)) return ok('database', `${file} is made at the first start`);
  try {
    const fault = await faultOfSqlite(file);
    if (fault !== undefined)
      return fail('database', `${file} is damaged: ${fault}`, 'restore a backup: weir restore <file>');
    const size = `${Math.ceil(statSync(file).size / 1024 / 1024)} MiB`;
    return schema(await schemaVersionOf(file), `${file}, ${size}, is whole`);
  } catch (thrown) {
    return fail('database', `${file}: ${reasonOf(thrown)}`, 'restore a backup: weir restore <file>');
  }
}

function schema(version: number | undefined, found: string): Finding {
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

async function postgres(url: string): Promise<StoreFindings> {
  const { PostgresLinks } = await import('../../storage/sql/postgres-links.ts');
  const { queryBounds } = await import('../../storage/sql/sql-database.ts');
  const links = new PostgresLinks(url, queryBounds);
  try {
    const link = await links.take();
    try {
      const askedAtMs = Date.now();
      const { rows } = await link.run(
        "select version() as name, extract(epoch from clock_timestamp()) * 1000 as now, to_regclass('schema_migrations') is not null as made",
      );
      const ms = Date.now() - askedAtMs;
      const { name, now, made } = Object(rows[0]);
      const version = made
        ? await link.run('select max(version) as version from schema_migrations')
        : undefined;
      const schemaVersion = version === undefined ? undefined : Number(Object(version.rows[0]).version);
      const found = `${String(name).split(' ').slice(0, 2).join(' ')} answers in ${ms} ms`;
      const { rows: pipelines } = made ? await link.run(setPipelines) : { rows: [] };
      return {
        findings: [schema(schemaVersion, found)],
        aheadMs: { PostgreSQL: askedAtMs + ms / 2 - Number(now) },
        pipelines: pipelinesIn(pipelines),
      };
    } finally {
      link.giveBack();
    }
  } catch (thrown) {
    const todo = 'see DATABASE_URL: its host, user, password and database, and whether the server runs';
    return { findings: [fail('database', reasonOf(thrown), todo)], aheadMs: {} };
  } finally {
    await links.close();
  }
}

async function redisServer(url: string): Promise<StoreFindings> {
  const { RedisLink } = await import('../../storage/redis/redis-link.ts');
  let cause: unknown;
  const link = await RedisLink.open({
    url,
    onChange: (_, why) => {
      cause ??= why;
    },
  });
  try {
    const askedAtMs = Date.now();
    const time = await link.ask(['TIME']);
    const ms = Date.now() - askedAtMs;
    const [seconds = 0, micros = 0] = Array.isArray(time) ? time.map(Number) : [];
    return {
      findings: [ok('redis', `Redis answers in ${ms} ms`), ...(await eviction(link))],
      aheadMs: { Redis: askedAtMs + ms / 2 - (seconds * 1000 + micros / 1000) },
    };
  } catch (thrown) {
    const todo = 'see REDIS_URL: its host and password, and whether the server runs';
    return { findings: [fail('redis', reasonOf(cause ?? thrown), todo)], aheadMs: {} };
  } finally {
    link.close();
  }
}

/** A Redis that is full and evicts nothing refuses writes, and calls with them. */
async function eviction(link: {
  ask(command: readonly string[]): Promise<unknown>;
}): Promise<readonly Finding[]> {
  const answers = await Promise.all(
    ['maxmemory', 'maxmemory-policy'].map((name) => link.ask(['CONFIG', 'GET', name]).catch(() => [])),
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
