import assert from 'node:assert/strict';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import type { Bases } from './bases.ts';
import type { Engine, Inspected } from './engine.ts';

const root = join(import.meta.dirname, '..', '..');
export const revision = 'walked-here';

export async function buildImage(engine: Engine, { build, base }: Bases): Promise<string> {
  await engine.build('localhost/weir', root, {
    BUILD_IMAGE: build,
    BASE_IMAGE: base,
    VERSION: packageJson.version,
    REVISION: revision,
  });
  return 'localhost/weir';
}

/** What orchestrators go by. */
export function checkImage({ Architecture, Size, Config, Healthcheck }: Inspected): void {
  console.log(`     ${Architecture}, ${Math.round(Size / 1e6)} MB`);
  assert.equal(Config.User, '10001:10001');
  assert.equal(Config.StopSignal, 'SIGTERM');
  assert.deepEqual([...Config.Entrypoint, ...Config.Cmd], ['tini', '--', 'weir', 'serve']);
  assert.deepEqual(Object.keys(Config.Volumes), ['/data']);
  assert.deepEqual(Object.keys(Config.ExposedPorts), ['3099/tcp']);
  assert.deepEqual(Healthcheck?.Test, ['CMD', 'node', '/weir/bin/health.js']);
  assert.equal(Config.Labels['org.opencontainers.image.version'], packageJson.version);
  assert.equal(Config.Labels['org.opencontainers.image.revision'], revision);
  assert.equal(Config.Labels['org.opencontainers.image.licenses'], packageJson.license);
}
