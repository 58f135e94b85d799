import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');
export const documents = globSync(['*.md', 'docs/**/*.md', 'models/*.md', 'examples/**/*.md'], { cwd: root });

export function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** The blocks of code in a language. */
export function blocksIn(file: string, language: string): readonly string[] {
  const form = new RegExp(`^ *\`\`\`${language}\\n(.*?)^ *\`\`\``, 'gms');
  return [...textOf(file).matchAll(form)].map(([, block = '']) => block);
}

/** The lines of shell blocks, as a shell reads them. */
export function commandsIn(file: string): readonly string[] {
  return blocksIn(file, 'sh').flatMap((block) =>
    block
      .replaceAll(/\\\n\s*/g, ' ')
      .split('\n')
      .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
      .filter((line) => line !== ''),
  );
}
