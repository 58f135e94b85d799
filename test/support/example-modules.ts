import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** Examples beside a `weir-gateway` that they find; what to set `WEIR_MODULES` to, and how to clean up. */
export function exampleModules(...names: readonly string[]): { readonly setting: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'weir-examples-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules', 'weir-gateway'), 'dir');
  const files = names.map((name) => {
    cpSync(join(root, 'examples', name), join(folder, name), { recursive: true });
    return join(folder, name, 'index.js');
  });
  return { setting: files.join(','), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
