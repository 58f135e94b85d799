// Builds the image from nothing and walks the README's first minute in it, and a deployment with replicas:
// npm run test:container -- [--cache <folder>]
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { importBases } from './test-container/bases.ts';
import { checkDescribed } from './test-container/described.ts';
import { Engine } from './test-container/engine.ts';
import { walkFirstMinute } from './test-container/first-minute.ts';
import { buildImage, checkImage } from './test-container/image.ts';
import { walkReplicas } from './test-container/replicas.ts';
import { timed } from './test-container/timed.ts';
import { checkUnit } from './test-container/unit.ts';
import { startedAnew } from './test-container/whole-cgroups.ts';
import { installOnDebian, isRootOnDebian } from './test-servers/debian.ts';
import { onPath } from './test-servers/programs.ts';

if (!startedAnew()) await walk();

async function walk(): Promise<void> {
  const { values } = parseArgs({ options: { cache: { type: 'string' } } });
  const folder = mkdtempSync(join(tmpdir(), 'weir-container-'));
  const cache = values.cache ?? join(folder, 'cache');
  try {
    mkdirSync(cache, { recursive: true });
    requirePrograms(['debootstrap', 'podman', 'buildah', 'haproxy', 'systemd-analyze']);
    const engine = new Engine(join(folder, 'storage'));
    const bases = await timed('base images', () => importBases(engine, cache));
    const image = await timed('the image', () => buildImage(engine, bases));
    checkImage(await engine.inspect(image));
    await timed('the first minute', () => walkFirstMinute(engine, image));
    await timed('two replicas behind the proxy', () => walkReplicas(engine, image, folder));
    await timed('what compose and kubectl read', () => checkDescribed(engine, cache));
    await timed('the systemd unit', () => checkUnit(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function requirePrograms(names: readonly string[]): void {
  const missing = names.filter((name) => onPath(name) === undefined);
  if (missing.length === 0) return;
  if (!isRootOnDebian())
    throw new Error(`this needs ${missing.join(', ')}, and root on Debian to install them`);
  installOnDebian(missing.map((name) => (name === 'systemd-analyze' ? 'systemd' : name)));
}
