import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Client } from 'pg';
import { answersAt, unprivileged } from '../../scripts/test-servers/postgres.ts';
import { freePort, startServer } from '../../scripts/test-servers/server-process.ts';
import type { Environment } from '../../src/gateway/settings.ts';
import { startHaproxy } from '../rolling/haproxy.ts';
import { call } from '../support/call.ts';
import { eventually } from '../support/eventually.ts';
import { OwnRedis } from '../support/redis-servers.ts';
import { startSlowStreams } from '../support/steady-load.ts';
import { freshPostgres } from '../support/stores.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { emptyFolder, WeirProcess } from '../support/weir-process.ts';

/** Three replicas behind the shipped balancer, with servers of their own. */
export interface Fleet {
  /** The balancer. */
  readonly url: string;
  readonly replicas: readonly Replica[];
  readonly environment: Environment;
  readonly redis: OwnRedis;
  /** Between the first replica and Redis. */
  readonly redisProxy: TcpProxy;
  readonly postgres: PostgresServer;
  /** In front of the last replica's database; undefined without PgBouncer. */
  readonly pgbouncer: PgBouncer | undefined;
  /** Requests that the provider got from calls with this key. */
  requestsWith(providerKey: string): number;
}

export async function startFleet(t: TestContext): Promise<Fleet> {
  const provider = await startSlowStreams(1000);
  t.after(() => provider.close());
  const database = await freshPostgres(t);
  const redis = await OwnRedis.start(t, ['save ""']);
  const { proxy: redisProxy, url: redisUrl } = await TcpProxy.to(t, redis.url);
  const pgbouncer = await PgBouncer.start(t, database);
  const environment: Environment = {
    DATABASE_URL: database,
    REDIS_URL: redis.url,
    WEIR_SECRET: 'a secret that all the replicas of this test have in common',
    WEIR_BASE_URL: 'https://weir.example.com',
    WEIR_MODE: 'cloud',
    WEIR_LOG_LEVEL: 'error',
    WEIR_TIER_FREE_LIMIT: '1000000',
    WEIR_ANTHROPIC_BASE_URL: provider.url,
  };
  const replicas = [
    new Replica(t, await freePort(), { ...environment, REDIS_URL: redisUrl }),
    new Replica(t, await freePort(), environment),
    new Replica(t, await freePort(), {
      ...environment,
      ...(pgbouncer !== undefined && { DATABASE_URL: pgbouncer.url }),
    }),
  ];
  await Promise.all(replicas.map((replica) => replica.start()));
  const url = await startHaproxy(
    t,
    replicas.map(({ port }) => port),
  );
  return {
    url,
    replicas,
    environment,
    redis,
    redisProxy,
    postgres: await PostgresServer.at(database),
    pgbouncer,
    requestsWith: (providerKey) => provider.requestsWith(providerKey),
  };
}

/** A replica on a port and a data folder of its own, which outlive its process. */
class Replica {
  readonly port: number;
  readonly #t: TestContext;
  readonly #environment: Environment;
  readonly #folder: string;
  #process: WeirProcess | undefined;

  constructor(t: TestContext, port: number, environment: Environment) {
    this.#t = t;
    this.port = port;
    this.#environment = environment;
    this.#folder = emptyFolder(t);
  }

  async start(more: Environment = {}): Promise<void> {
    this.#process = new WeirProcess(this.#t, {
      environment: { ...this.#environment, PORT: String(this.port), WEIR_DATA_DIR: this.#folder, ...more },
    });
    await eventually(async () => {
      const answer = await call(`http://127.0.0.1:${this.port}`, { path: '/ready' }).catch(() => undefined);
      return answer?.status === 200 ? true : undefined;
    });
  }

  async kill(): Promise<void> {
    await this.#process?.killAll();
  }

  async stop(): Promise<void> {
    this.#process?.signal('SIGTERM');
    await this.#process?.exited;
  }
}

/** The processes of a PostgreSQL server. */
class PostgresServer {
  readonly #pid: number;

  static async at(url: string): Promise<PostgresServer> {
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query("select pg_read_file('postmaster.pid') as file");
    await client.end();
    return new PostgresServer(Number.parseInt(rows[0].file, 10));
  }

  private constructor(pid: number) {
    this.#pid = pid;
  }

  pause(): void {
    this.#signal('SIGSTOP');
  }

  resume(): void {
    this.#signal('SIGCONT');
  }

  #signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    const children = execFileSync('pgrep', ['-P', String(this.#pid)], { encoding: 'utf8' });
    for (const pid of [this.#pid, ...children.split('\n').filter(Boolean).map(Number)])
      try {
        process.kill(pid, name);
      } catch {
        // A connection that has ended meanwhile.
      }
  }
}

/** PgBouncer in transaction mode, with no more settings than it needs. */
class PgBouncer {
  readonly url: string;
  readonly #start: () => Promise<() => Promise<void>>;
  #stop: (() => Promise<void>) | undefined;

  static async start(t: TestContext, database: string): Promise<PgBouncer | undefined> {
    const program = process.env.PGBOUNCER_PATH;
    if (!program) return undefined;
    const port = await freePort();
    const pgbouncer = new PgBouncer(program, port, new URL(database));
    t.after(() => pgbouncer.stop());
    await pgbouncer.start();
    return pgbouncer;
  }

  private constructor(program: string, port: number, database: URL) {
    const through = new URL(database);
    through.host = `127.0.0.1:${port}`;
    this.url = through.href;
    const user = unprivileged();
    this.#start = () => {
      const folder = mkdtempSync(join(tmpdir(), 'weir-pgbouncer-'));
      if (user !== undefined) chownSync(folder, user.uid, user.gid);
      const users = join(folder, 'users.txt');
      writeFileSync(users, `"${database.username}" "${decodeURIComponent(database.password)}"\n`);
      const settings = join(folder, 'pgbouncer.ini');
      writeFileSync(
        settings,
        `[databases]
* = host=127.0.0.1 port=${database.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = transaction
`,
      );
      return startServer({
        command: program,
        args: [settings],
        folder,
        user,
        answers: () => answersAt(through.href),
      });
    };
  }

  async start(): Promise<void> {
    this.#stop = await this.#start();
  }

  async stop(): Promise<void> {
    await this.#stop?.();
    this.#stop = undefined;
  }
}
