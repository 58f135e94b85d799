// Kills gateways and checks their caps, ceilings and usage reports: npm run test:kill, or with KILLS=100
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { bringUp } from './test-servers.ts';

process.env.KILLS ??= '20';
const servers = await bringUp(process.env);
Object.assign(process.env, servers.environment);
const results = run({ files: ['test/kill.test.ts'], timeout: 3_600_000 });
results.on('test:fail', () => {
  process.exitCode = 1;
});
await pipeline(results, new spec(), process.stdout, { end: false });
await servers.stop();
