// Builds the dashboard into web/dist. An installation without the bundler (npm ci --omit=dev) keeps what is there.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = join(import.meta.dirname, '..', 'web');
const built = join(root, 'dist');

const vite = await import('vite').catch(() => undefined);
if (vite !== undefined && existsSync(join(root, 'index.html'))) {
  await vite.build({ root, configFile: join(root, 'vite.config.ts'), logLevel: 'warn' });
  for (const name of readdirSync(built, { recursive: true, encoding: 'utf8' }))
    if (/\.(js|css|html|svg)$/.test(name)) compress(join(built, name));
} else if (!existsSync(join(built, 'index.html')))
  console.log(
    'the dashboard is not built: that takes the devDependencies (npm ci), and the gateway runs without it',
  );

/** Once here, so that nothing is compressed while the gateway serves.
 * @param {string} file */
function compress(file) {
  const bytes = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}
