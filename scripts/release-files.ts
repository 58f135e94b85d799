// Writes what a release consists of to ./release: npm run release:files -- [--tag v1.2.3]
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import packageJson from '../package.json' with { type: 'json' };
import { writeReleaseFiles } from './release/files.ts';

const { values } = parseArgs({ options: { tag: { type: 'string' } } });
if (values.tag !== undefined && values.tag !== `v${packageJson.version}`) {
  console.error(`the tag is ${values.tag} and package.json says ${packageJson.version}`);
  process.exit(1);
}
for (const name of writeReleaseFiles(join(import.meta.dirname, '..', 'release'), packageJson.version))
  console.log(`release/${name}`);
