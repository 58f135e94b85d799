// Writes what the npm package carries instead of the sources into dist: programs with source maps, types, and the schema of weir.yaml.
// --into <folder> writes it elsewhere, --no-types leaves the types out, and --also <source> keeps one that can be loaded by itself.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildProgram } from '../bin/build-program.js';
import { configurationSchema } from '../src/gateway/configuration-file/json-schema.ts';
import { describedModules } from '../src/gateway/described-modules.ts';
import { settingPlaces } from '../src/gateway/settings.ts';

const root = join(import.meta.dirname, '..');
const { into, types, also } = parseArgs({
  options: {
    into: { type: 'string', default: join(root, 'dist') },
    types: { type: 'boolean', default: true },
    also: { type: 'string', multiple: true, default: [] },
  },
  allowNegative: true,
}).values;

await buildProgram(into, also);
// Types are checked by npm run check.
const settings = ['-p', join(root, 'tsconfig.build.json'), '--outDir', into];
if (types) execFileSync('tsc', settings, { stdio: 'inherit', shell: process.platform === 'win32' });
writeFileSync(
  join(into, 'weir.schema.json'),
  `${JSON.stringify(configurationSchema(settingPlaces, describedModules()), undefined, 2)}\n`,
);
