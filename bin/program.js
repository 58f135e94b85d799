import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What to run: the built program, and in a clone the sources where one of them, or a package, has changed since. */
export function programFile() {
  const [built, sources] = [join(root, 'dist', 'main.js'), join(root, 'src')];
  return existsSync(sources) && !isBuilt() ? join(sources, 'main.ts') : built;
}

/** Whether what is built is of the sources as they are. */
export function isBuilt() {
  const builtAt = changedAt(join(root, 'dist', 'main.js'));
  const sources = join(root, 'src');
  return (
    builtAt > changedAt(join(root, 'node_modules', '.package-lock.json')) &&
    builtAt > changedAt(sources) &&
    // A folder is changed by what is added to it and taken out.
    readdirSync(sources, { recursive: true, encoding: 'utf8' }).every(
      (name) => name.endsWith('.test.ts') || builtAt > changedAt(join(sources, name)),
    )
  );
}

/** @param {string} path */
function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
