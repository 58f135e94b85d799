// Runs every test, or those whose files are named: npm test -- src/kernel/json.test.ts
import { spawn } from 'node:child_process';

const named = process.argv.slice(2);
const files = named.length > 0 ? named : ['src/**/*.test.ts', 'test/**/*.test.ts'];
const child = spawn(process.execPath, ['--test', '--test-timeout=120000', '--test-reporter=spec', ...files], {
  stdio: 'inherit',
});
child.on('close', (code) => {
  process.exitCode = code ?? 1;
});
