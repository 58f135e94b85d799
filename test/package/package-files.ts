import assert from 'node:assert/strict';

/** What `npm pack --json` says of a package. */
export interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** Everything that is allowed in the package, and what must be there. */
const allowed = [
  /^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/,
  /^bin\/(index|weir|own-runtime|program|require-node|testing)\.js$/,
  /^dist\/[\w/-]+\.(js|d\.ts|wasm)$/,
  /^dist\/(licenses\.txt|weir\.schema\.json)$/,
  /^models\/(README\.md|dist\/(segments\.json|(meaning|judge|tools|entities|injection)\.onnx))$/,
  /^site\/dist\/assets\/[\w-]+-license\.txt$/,
  /^(web|site)\/dist\/[\w./-]+\.(html|js|css|svg|png|json|woff2)(\.br|\.gz)?$/,
];
const needed = [
  'bin/index.js',
  'bin/testing.js',
  'bin/weir.js',
  'dist/main.js',
  'dist/weir.schema.json',
  'dist/index.js',
  'dist/index.d.ts',
  'dist/module-api.d.ts',
  'dist/testing/index.d.ts',
  'dist/embeddings/child/main.js',
  'dist/kernel/scan/scanner.wasm',
  'dist/providers/tokens/tokenizer-worker.js',
  'dist/storage/sql/sqlite-worker.js',
  'dist/workers/worker.js',
  'models/dist/entities.onnx',
  'models/dist/injection.onnx',
  'models/dist/judge.onnx',
  'models/dist/meaning.onnx',
  'models/dist/segments.json',
  'models/dist/tools.onnx',
  'site/dist/index.html',
  'web/dist/index.html',
];
/** The models are 54 MiB of it; unpacked, the documentation is 13. */
const packedBytesMax = 58 * 1024 ** 2;
const unpackedBytesMax = 80 * 1024 ** 2;

export function assertPackage({ files, size, unpackedSize }: Packed): void {
  const paths = files.map(({ path }) => path);
  const surplus = paths.filter((path) => !allowed.some((form) => form.test(path)) || path.includes('.test.'));
  assert.deepEqual(surplus, []);
  assert.deepEqual(
    needed.filter((path) => !paths.includes(path)),
    [],
  );
  assert.ok(size < packedBytesMax, `${size} bytes packed`);
  assert.ok(unpackedSize < unpackedBytesMax, `${unpackedSize} bytes unpacked`);
}
