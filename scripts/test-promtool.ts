// Checks metrics, alerts and their tests with promtool, which is a part of Prometheus: npm run test:promtool
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runTestFiles } from './run-test-files.ts';
import { bringUp } from './test-servers.ts';

const promtool = process.env.PROMTOOL ?? 'promtool';
if (spawnSync(promtool, ['--version']).error !== undefined) {
  console.error(
    'promtool was not found. It is a part of Prometheus (the Debian package "prometheus"): put it on the PATH, or set PROMTOOL to its path.',
  );
  process.exit(1);
}

const folder = fileURLToPath(new URL('../deploy/prometheus/', import.meta.url));
for (const args of [
  ['check', 'rules', 'alerts.yaml'],
  ['test', 'rules', 'alerts.test.yaml'],
])
  if (spawnSync(promtool, args, { cwd: folder, stdio: 'inherit' }).status !== 0) process.exitCode = 1;

const servers = await bringUp(process.env);
Object.assign(process.env, servers.environment, { PROMTOOL: promtool });
await runTestFiles(['test/docs-metrics.test.ts'], { timeout: 600_000 });
await servers.stop();
