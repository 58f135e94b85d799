import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createClient } from '@redis/client';
import { listens, redis } from '../../scripts/test-servers/redis.ts';
import { freePort, startServer } from '../../scripts/test-servers/server-process.ts';
import { cleanUp } from './clean-up.ts';
import { eventually } from './eventually.ts';

/** A Redis server of one test, which ends with it. */
export class OwnRedis {
  readonly port: number;
  readonly #args: readonly string[];
  readonly #settings: readonly string[];
  #stop: (() => Promise<void>) | undefined;

  static async start(
    t: TestContext,
    settings: readonly string[] = [],
    args: readonly string[] = [],
  ): Promise<OwnRedis> {
    const server = new OwnRedis(await freePort(), settings, args);
    cleanUp(t, () => server.stop());
    await server.start();
    return server;
  }

  private constructor(port: number, settings: readonly string[], args: readonly string[]) {
    this.port = port;
    this.#settings = settings;
    this.#args = args;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** On the same port as before, without data. */
  async start(): Promise<void> {
    const program = redis.find();
    if (program === undefined)
      throw new Error('there is no redis-server: run this file with npm test -- <file>');
    const folder = mkdtempSync(join(tmpdir(), 'weir-redis-'));
    const file = join(folder, 'redis.conf');
    const lines = ['bind 127.0.0.1', `port ${this.port}`, `dir ${folder}`, ...this.#settings];
    writeFileSync(file, lines.join('\n'));
    this.#stop = await startServer({
      command: program,
      args: [file, ...this.#args],
      folder,
      answers: () => listens(this.port),
    });
  }

  async stop(): Promise<void> {
    await this.#stop?.();
    this.#stop = undefined;
  }

  async run(...command: readonly string[]): Promise<unknown> {
    const client = await createClient({ url: this.url, RESP: 2 }).connect();
    try {
      return await client.sendCommand(command);
    } finally {
      client.destroy();
    }
  }
}

const inMemory = ['save ""', 'appendonly no'];

/** The masters of a cluster, with equal shares of the slots. */
export async function startCluster(t: TestContext, masters: number): Promise<readonly OwnRedis[]> {
  const settings = [
    ...inMemory,
    'cluster-enabled yes',
    'cluster-require-full-coverage no',
    'cluster-node-timeout 2000',
  ];
  const nodes = await Promise.all(
    Array.from({ length: masters }, async () => {
      const busPort = await freePort();
      return Object.assign(await OwnRedis.start(t, [...settings, `cluster-port ${busPort}`]), { busPort });
    }),
  );
  const share = Math.ceil(16_384 / masters);
  const [first] = nodes;
  for (const [at, node] of nodes.entries()) {
    await node.run('CLUSTER', 'SET-CONFIG-EPOCH', String(at + 1));
    const last = Math.min((at + 1) * share, 16_384) - 1;
    await node.run('CLUSTER', 'ADDSLOTSRANGE', String(at * share), String(last));
    if (first !== undefined && node !== first)
      await node.run('CLUSTER', 'MEET', '127.0.0.1', String(first.port), String(first.busPort));
  }
  for (const node of nodes)
    await eventually(async () => {
      const info = String(await node.run('CLUSTER', 'INFO'));
      return info.includes('cluster_state:ok') && info.includes(`cluster_size:${masters}`) ? true : undefined;
    });
  return nodes;
}

export interface WatchedRedis {
  readonly url: string;
  readonly master: OwnRedis;
  readonly replica: OwnRedis;
}

/** A master with a replica, watched by three sentinels. */
export async function startWatched(t: TestContext): Promise<WatchedRedis> {
  const [master, replica] = await Promise.all([OwnRedis.start(t, inMemory), OwnRedis.start(t, inMemory)]);
  await replica.run('REPLICAOF', '127.0.0.1', String(master.port));
  await eventually(async () =>
    String(await replica.run('INFO', 'replication')).includes('master_link_status:up') ? true : undefined,
  );
  const settings = [
    `sentinel monitor main 127.0.0.1 ${master.port} 2`,
    'sentinel down-after-milliseconds main 1000',
    'sentinel failover-timeout main 5000',
  ];
  const sentinels = await Promise.all(
    Array.from({ length: 3 }, () => OwnRedis.start(t, settings, ['--sentinel'])),
  );
  for (const sentinel of sentinels)
    await eventually(async () => {
      const facts = await sentinel.run('SENTINEL', 'MASTER', 'main');
      const fact = (name: string) => (Array.isArray(facts) ? facts[facts.indexOf(name) + 1] : undefined);
      return fact('num-other-sentinels') === '2' && fact('num-slaves') === '1' ? true : undefined;
    });
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return { url: `redis+sentinel://${hosts}/main`, master, replica };
}
