import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What packages want to be told wherever they are part of something, in the order of their names.
 * @param {readonly string[]} files Those that are part of it. */
export function licensesOf(files) {
  const folders = new Set(
    files.flatMap((file) => /^.*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0] ?? []),
  );
  return [...folders]
    .sort()
    .map(licenseOf)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** @param {string} folder */
function licenseOf(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((found) => /^licen[cs]e/i.test(found));
  if (file === undefined) throw new Error(`${name} is built in, and has no license that could go with it`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
