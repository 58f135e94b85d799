// Builds the dashboard into web/dist. An installation without the bundler (npm ci --omit=dev) keeps what is there.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compressFiles } from './compress.js';

const root = join(import.meta.dirname, '..', 'web');
const built = join(root, 'dist');

const vite = await import('vite').catch(() => undefined);
if (vite !== undefined && existsSync(join(root, 'index.html'))) {
  await vite.build({ root, configFile: join(root, 'vite.config.ts'), logLevel: 'warn' });
  compressFiles(built);
} else if (!existsSync(join(built, 'index.html')))
  console.log(
    'the dashboard is not built: that takes the devDependencies (npm ci), and the gateway runs without it',
  );
