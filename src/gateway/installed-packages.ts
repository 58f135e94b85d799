import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type JsonObject } from '../lib/json.ts';

const ownManifest = fileURLToPath(new URL('../../package.json', import.meta.url));

/** The packages that this installation runs with, with their versions and licences, as their own manifests say. */
export function installedPackages(): readonly JsonObject[] {
  const found = new Map<string, JsonObject>();
  const waiting = [ownManifest];
  for (let manifest = waiting.pop(); manifest !== undefined; manifest = waiting.pop()) {
    const { dependencies, optionalDependencies } = readManifest(manifest);
    for (const name of [...namesIn(dependencies), ...namesIn(optionalDependencies)]) {
      const installed = findManifest(name, dirname(manifest));
      // Packages for other platforms are not installed.
      if (installed === undefined || found.has(installed)) continue;
      const { version, license } = readManifest(installed);
      found.set(installed, { name, version, license: typeof license === 'string' ? license : null });
      waiting.push(installed);
    }
  }
  return [...found.values()].toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
}

/** In the nearest `node_modules`, as Node.js looks for it. */
function findManifest(name: string, folder: string): string | undefined {
  const manifest = join(folder, 'node_modules', name, 'package.json');
  if (existsSync(manifest)) return manifest;
  return dirname(folder) === folder ? undefined : findManifest(name, dirname(folder));
}

function readManifest(file: string): JsonObject {
  const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return isJsonObject(parsed) ? parsed : {};
}

function namesIn(dependencies: unknown): readonly string[] {
  return isJsonObject(dependencies) ? Object.keys(dependencies) : [];
}

function textOf({ name, version }: JsonObject): string {
  return `${String(name)}@${String(version)}`;
}
