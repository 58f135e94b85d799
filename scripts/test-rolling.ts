// Replaces replicas behind HAProxy by a newer build, under load: npm run test:rolling
import { runTestFiles } from './run-test-files.ts';
import { haproxy } from './test-servers/haproxy.ts';
import { postgres } from './test-servers/postgres.ts';
import { redis } from './test-servers/redis.ts';
import { bringUp } from './test-servers.ts';

const servers = await bringUp(process.env, [postgres, redis, haproxy]);
Object.assign(process.env, servers.environment);
await runTestFiles(['test/rolling/behind-haproxy.ts'], { timeout: 600_000 });
await servers.stop();
