import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const packages = join(import.meta.dirname, '..', 'node_modules');
/** What the styles import or point at, where it is a package's. */
const reference = /(?:@import |url\()["']((?:@[\w.-]+\/)?[\w-][\w.-]*)/g;

/** Adds to the licences those of what styles and fonts come from: the bundler lists scripts alone. */
export function styleLicences(fileName: string): Plugin {
  return {
    name: 'weir-style-licences',
    writeBundle({ dir = '' }) {
      const file = join(dir, fileName);
      const listed: readonly { readonly name: string }[] = JSON.parse(readFileSync(file, 'utf8'));
      const styles = readFileSync(join(import.meta.dirname, 'styles.css'), 'utf8');
      const named = [...new Set([...styles.matchAll(reference)].map(([, name]) => String(name)))];
      const added = named.filter((name) => listed.every((one) => one.name !== name)).map(licensed);
      writeFileSync(file, JSON.stringify([...listed, ...added], undefined, 2));
    },
  };
}

function licensed(name: string) {
  const { version, license } = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'));
  return { name, version, identifier: license, text: readFileSync(join(packages, name, 'LICENSE'), 'utf8') };
}
