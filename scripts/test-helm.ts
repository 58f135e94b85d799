// Renders the Helm chart with many sets of values, and checks what comes out: npm run test:helm -- [--cache <folder>]
// It uses Helm where that is on the PATH, else a small renderer in Go with the same template functions.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installPackage } from '../test/support/install-package.ts';
import { runTestFiles } from './run-test-files.ts';
import { installOnDebian, isRootOnDebian } from './test-servers/debian.ts';
import { onPath } from './test-servers/programs.ts';

const root = join(import.meta.dirname, '..');
/** Where Debian has the sources of the functions that templates of Helm use. */
const goSources = '/usr/share/gocode';
const goPackages = ['golang-go', 'golang-github-masterminds-sprig-dev', 'golang-k8s-sigs-yaml-dev'];
/** Schemas of what the chart makes for operators that a cluster may have. */
const models = [
  { name: '@kubernetes-models/external-secrets', version: '2.0.0' },
  { name: '@kubernetes-models/gateway-api', version: '2.0.0' },
  { name: '@kubernetes-models/keda', version: '2.0.0' },
  { name: '@kubernetes-models/prometheus-operator', version: '6.0.0' },
] as const;

const { values } = parseArgs({ options: { cache: { type: 'string' } } });
const folder = values.cache ?? mkdtempSync(join(tmpdir(), 'weir-helm-'));
try {
  prepareRenderer();
  const installed: string[] = [];
  for (const model of models)
    installed.push(join(await installPackage(model, folder), 'node_modules', model.name));
  process.env.CHART_MODELS = installed.join('\n');
  await runTestFiles(['test/helm/rendering.ts', 'test/helm/hostile-values.ts'], { timeout: 600_000 });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  if (values.cache === undefined) rmSync(folder, { recursive: true, force: true });
}

function prepareRenderer(): void {
  const helm = onPath('helm');
  if (helm === undefined) {
    process.env.CHART_RENDERER = buildRenderer();
    return;
  }
  process.env.HELM = helm;
  execFileSync(helm, ['lint', '--strict', join(root, 'deploy/helm/weir')], { stdio: 'inherit' });
}

function buildRenderer(): string {
  const isThere =
    onPath('go') !== undefined && existsSync(join(goSources, 'src/github.com/Masterminds/sprig'));
  if (!isThere) {
    if (!isRootOnDebian())
      throw new Error(
        `this needs helm on the PATH; on Debian, root can run it with ${goPackages.join(', ')}`,
      );
    installOnDebian(goPackages);
  }
  const program = join(folder, 'render');
  execFileSync('go', ['build', '-o', program, join(root, 'test/helm/render.go')], {
    stdio: 'inherit',
    env: { ...process.env, GO111MODULE: 'off', GOPATH: goSources, GOFLAGS: '' },
  });
  return program;
}
