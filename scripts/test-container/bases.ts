import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Engine, run } from './engine.ts';

export interface Bases {
  /** With Node.js and npm. */
  readonly build: string;
  /** With nothing but Debian. */
  readonly base: string;
}

const suite = 'trixie';
/** As the official slim images leave them out. */
const notInSlim = [
  'var/cache/apt',
  'var/lib/apt/lists',
  'usr/share/doc',
  'usr/share/locale',
  'usr/share/man',
];
const bases: Bases = { build: 'localhost/node', base: 'localhost/debian' };

/** Stand-ins for the official images, made where no registry of images can be reached. */
export async function importBases(engine: Engine, cache: string): Promise<Bases> {
  const rootfs = join(cache, `debian-${suite}.tar`);
  if (!existsSync(rootfs)) await debootstrap(rootfs);
  await engine.podman(['import', rootfs, bases.base]);
  const context = join(cache, 'node');
  rmSync(context, { recursive: true, force: true });
  mkdirSync(context);
  copyFileSync(process.execPath, join(context, 'node'));
  const npm = execFileSync('npm', ['pack', '--silent', 'npm@11'], { cwd: context, encoding: 'utf8' }).trim();
  renameSync(join(context, npm), join(context, 'npm.tgz'));
  writeFileSync(join(context, 'Dockerfile'), withNpm(ownAuthorities(context)));
  await engine.build(bases.build, context, {});
  return bases;
}

async function debootstrap(rootfs: string): Promise<void> {
  const folder = mkdtempSync(`${rootfs}-`);
  await run('debootstrap', ['--variant=minbase', suite, folder]);
  chmodSync(folder, 0o755);
  for (const path of notInSlim) rmSync(join(folder, path), { recursive: true });
  await run('tar', ['-C', folder, '-cf', `${rootfs}.part`, '.']);
  renameSync(`${rootfs}.part`, rootfs);
  rmSync(folder, { recursive: true });
}

function withNpm(authorities: string): string {
  return `FROM ${bases.base}
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates libatomic1
COPY node /usr/local/bin/node
ADD npm.tgz /usr/local/lib
RUN ln -s /usr/local/lib/package/bin/npm-cli.js /usr/local/bin/npm
${authorities}`;
}

/** A machine that reaches the registry through a proxy of its own has that proxy's certificate here. */
function ownAuthorities(context: string): string {
  const file = process.env.NODE_EXTRA_CA_CERTS;
  if (file === undefined) return '';
  copyFileSync(file, join(context, 'authorities.pem'));
  return `COPY authorities.pem /authorities.pem
ENV NODE_EXTRA_CA_CERTS=/authorities.pem
`;
}
