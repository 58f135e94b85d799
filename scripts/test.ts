// Runs every test, or those whose files are named: npm test -- src/kernel/json.test.ts
import { spawn } from 'node:child_process';
import { bringUp } from './test-servers.ts';

const named = process.argv.slice(2);
const files = named.length > 0 ? named : ['src/**/*.test.ts', 'test/**/*.test.ts'];

try {
  const servers = await bringUp(process.env);
  process.exitCode = await runTests(servers.environment);
  await servers.stop();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function runTests(environment: Readonly<Record<string, string>>): Promise<number> {
  const child = spawn(
    process.execPath,
    ['--test', '--test-timeout=120000', '--test-concurrency=2', '--test-reporter=spec', ...files],
    { stdio: 'inherit', env: { ...process.env, ...environment } },
  );
  // Whoever ends this process ends the tests; what follows here still ends the servers.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}
