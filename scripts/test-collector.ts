// Exports traces and metrics to a real collector of OpenTelemetry: npm run test:collector
// It uses OTELCOL or otelcol on the PATH, else it builds a collector from Debian's packages of its sources.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTestFiles } from './run-test-files.ts';
import { onPath } from './test-servers/programs.ts';

/** Where Debian has the sources of Go packages; GOPATH names another place. */
const goSources = process.env.GOPATH ?? '/usr/share/gocode';
const folder = mkdtempSync(join(tmpdir(), 'weir-collector-'));
try {
  process.env.OTELCOL ??= onPath('otelcol') ?? buildCollector();
  await runTestFiles(['test/collector/exports.ts'], { timeout: 300_000 });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function buildCollector(): string {
  const go = process.env.GOROOT === undefined ? onPath('go') : join(process.env.GOROOT, 'bin', 'go');
  if (go === undefined || !existsSync(join(goSources, 'src/go.opentelemetry.io/collector')))
    throw new Error(
      'this needs otelcol on the PATH, or its path in OTELCOL, or Go with the Debian package golang-opentelemetry-collector-dev (Debian 14 or later)',
    );
  console.error('building a collector, which takes a minute');
  const program = join(folder, 'otelcol');
  execFileSync(go, ['build', '-o', program, join(import.meta.dirname, '..', 'test/collector/main.go')], {
    stdio: 'inherit',
    env: { ...process.env, GO111MODULE: 'off', GOPATH: goSources, CGO_ENABLED: '0' },
  });
  return program;
}
