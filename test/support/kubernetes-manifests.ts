import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { at } from './at.ts';

const packages = join(import.meta.dirname, '..', '..', 'node_modules');

/** Where the models of an API version are, such as `apps/v1`: a folder with a file for each kind. */
export type ModelsOf = (version: string) => string;

export const modelsOfKubernetes: ModelsOf = (version) => join(packages, 'kubernetes-models', version);

/**
 * What Kubernetes would refuse in manifests: its own schemas check values, and their types also find fields that it does not
 * know. The temporary folder must be empty.
 */
export async function findManifestFaults(
  manifests: readonly unknown[],
  temporaryFolder: string,
  modelsOf: ModelsOf = modelsOfKubernetes,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const sources: string[] = [];
  for (const [index, manifest] of manifests.entries()) {
    const [version, kind] = [String(at(manifest, 'apiVersion')), String(at(manifest, 'kind'))];
    const folder = modelsOf(version);
    const models = await import(pathToFileURL(join(folder, 'index.js')).href);
    try {
      new models[kind](manifest).validate();
    } catch (thrown) {
      faults.push(`${kind} ${String(at(manifest, 'metadata', 'name'))}: ${Object(thrown).message}`);
    }
    sources.push(`import type { I${kind} as Type${index} } from ${JSON.stringify(join(folder, kind))};
export const manifest${index}: Type${index} = ${JSON.stringify(manifest)};`);
  }
  writeFileSync(join(temporaryFolder, 'manifests.ts'), sources.join('\n'));
  const options = ['--strict', '--skipLibCheck', '--noEmit', '--types', '', '--target', 'esnext'];
  const modules = ['--module', 'esnext', '--moduleResolution', 'bundler'];
  const { stdout, status } = spawnSync('tsc', [...options, ...modules, 'manifests.ts'], {
    cwd: temporaryFolder,
    encoding: 'utf8',
  });
  return status === 0 ? faults : [...faults, stdout];
}
