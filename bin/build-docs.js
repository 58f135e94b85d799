// Builds the documentation into site/dist. An installation without the generator (npm ci --omit=dev) keeps what is there.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const site = join(import.meta.dirname, '..', 'site');

const generator = await import('@11ty/eleventy').catch(() => undefined);
if (generator !== undefined && existsSync(join(site, 'build.js'))) {
  const { buildSite } = await import('../site/build.js');
  await buildSite(generator.Eleventy);
} else if (!existsSync(join(site, 'dist', 'index.html')))
  console.log('the documentation is not built: that takes the devDependencies (npm ci)');
