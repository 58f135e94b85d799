// Kills gateways and checks their caps, ceilings and usage reports: npm run test:kill, or with KILLS=100
import { runTestFiles } from './run-test-files.ts';
import { bringUp } from './test-servers.ts';

process.env.KILLS ??= '20';
const servers = await bringUp(process.env);
Object.assign(process.env, servers.environment);
await runTestFiles(['test/kill.test.ts'], { timeout: 3_600_000 });
await servers.stop();
