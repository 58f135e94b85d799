import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from './engine.ts';

const root = join(import.meta.dirname, '..', '..');
const tools = `FROM localhost/debian
RUN apt-get update && apt-get install --yes --no-install-recommends docker-compose kubernetes-client
`;
const composed = ['compose.yaml', 'deploy/replicas/compose.yaml'];
const secrets = ['POSTGRES_PASSWORD', 'VALKEY_PASSWORD', 'WEIR_SECRET', 'WEIR_BASE_URL'];

/** Compose and kubectl read what we describe, as far as they do without a daemon or a cluster. */
export async function checkDescribed(engine: Engine, cache: string): Promise<void> {
  const context = join(cache, 'tools');
  mkdirSync(context, { recursive: true });
  writeFileSync(join(context, 'Dockerfile'), tools);
  await engine.build('localhost/tools', context, {});
  const container = (await engine.buildah(['from', 'localhost/tools'])).trim();
  for (const path of [...composed, 'deploy/kubernetes'])
    await engine.buildah(['copy', container, join(root, path), `/described/${path}`]);
  await engine.buildah([
    ...['copy', container, join(root, 'deploy/kubernetes/secrets.example.env')],
    '/described/deploy/kubernetes/secrets.env',
  ]);
  const run = (command: readonly string[]) =>
    engine.buildah([
      ...['run', '--isolation', 'chroot', '--workingdir', '/described'],
      ...secrets.flatMap((name) => ['--env', `${name}=something`]),
      container,
      '--',
      ...command,
    ]);
  for (const file of composed) await run(['docker-compose', '--file', file, 'config', '--quiet']);
  const manifests = await run(['kubectl', 'kustomize', 'deploy/kubernetes']);
  assert.match(manifests, /image: registry\.example\.com\/weir:/);
  assert.match(manifests, /secretRef:\n\s+name: weir-secrets-\w+/);
}
