// Replaces replicas behind HAProxy by a newer build, under load: npm run test:rolling
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { haproxy } from './test-servers/haproxy.ts';
import { postgres } from './test-servers/postgres.ts';
import { redis } from './test-servers/redis.ts';
import { bringUp } from './test-servers.ts';

const servers = await bringUp(process.env, [postgres, redis, haproxy]);
Object.assign(process.env, servers.environment);
const results = run({ files: ['test/rolling/behind-haproxy.ts'], timeout: 600_000 });
results.on('test:fail', () => {
  process.exitCode = 1;
});
await pipeline(results, new spec(), process.stdout, { end: false });
await servers.stop();
