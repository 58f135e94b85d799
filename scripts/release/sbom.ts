import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { bundledPackages, type Licensed, lockedPackages } from './licences.ts';

const root = join(import.meta.dirname, '..', '..');

interface Component {
  readonly name: string;
  readonly version: string;
  readonly 'bom-ref': string;
}

interface Bom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** A CycloneDX list of what runs with Weir, on any platform, and of what its dashboard has in it, which npm counts among the tools. */
export function sbom(): string {
  const all = everyPackage();
  const shipped = new Set([...lockedPackages().shipped, ...bundledPackages()].map(named));
  const components = all.components.filter((component) => shipped.has(named(component)));
  const listed = new Set(components.map((component) => component['bom-ref']));
  const own = all.metadata.component['bom-ref'];
  const dependencies = all.dependencies
    .filter(({ ref }) => ref === own || listed.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => listed.has(one)) }));
  // npm calls it like the folder that it is in.
  const component = { ...all.metadata.component, type: 'application', name: packageJson.name };
  const metadata = { ...all.metadata, component };
  return `${JSON.stringify({ ...all, metadata, components, dependencies }, undefined, 2)}\n`;
}

/** By the lock file: `npm sbom --omit dev` leaves out what tools need, too. */
function everyPackage(): Bom {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  return JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }));
}

function named({ name, version }: Omit<Licensed, 'licence'>): string {
  return `${name}@${version}`;
}
