import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalModels } from '../../../src/embeddings/local-models.ts';
import { findModelFiles } from '../../../src/embeddings/model-files.ts';
import { TextEmbeddings } from '../../../src/embeddings/text-embeddings.ts';

const size = 384;
const atOnce = 64;

/** Vectors of the model for tools, kept in the temporary folder from one run to the next. */
export class CachedVectors {
  readonly #base = join(tmpdir(), 'weir-eval-tools');
  readonly #byText = new Map<string, Float32Array>();

  constructor() {
    if (!existsSync(`${this.#base}.texts`)) return;
    const texts = readFileSync(`${this.#base}.texts`, 'utf8').split('\n');
    const bytes = readFileSync(`${this.#base}.vectors`);
    const values = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    for (let at = 0; (at + 1) * size <= values.length; at++)
      this.#byText.set(JSON.parse(texts[at] ?? '""'), values.subarray(at * size, (at + 1) * size));
  }

  get(text: string): Float32Array {
    const vector = this.#byText.get(text);
    if (vector === undefined) throw new Error(`there is no vector of "${text}"`);
    return vector;
  }

  /** Makes those that are missing. */
  async make(texts: readonly string[]): Promise<void> {
    const missing = [...new Set(texts)].filter((text) => !this.#byText.has(text));
    if (missing.length === 0) return;
    const models = new LocalModels({ findFiles: findModelFiles, onFailure: (how) => console.error(how) });
    const embeddings = new TextEmbeddings({ source: 'local', models });
    for (let at = 0; at < missing.length; at += atOnce) {
      const some = missing.slice(at, at + atOnce);
      const { vectors, why } = await embeddings.many(some, { use: 'tools', deadlineMs: 600_000 });
      if (vectors === undefined) throw new Error(`no vectors: ${why}`);
      this.#keep(
        some,
        vectors.map(({ values }) => values),
      );
      process.stderr.write(`\r${at + some.length} of ${missing.length} vectors `);
    }
    // Nobody waits for its end: it has nothing left to do.
    void models.close();
  }

  #keep(texts: readonly string[], vectors: readonly Float32Array[]): void {
    for (const [at, text] of texts.entries()) this.#byText.set(text, vectors[at] ?? new Float32Array(size));
    appendFileSync(
      `${this.#base}.vectors`,
      Buffer.concat(
        vectors.map((values) => new Uint8Array(values.buffer, values.byteOffset, values.byteLength)),
      ),
    );
    appendFileSync(`${this.#base}.texts`, texts.map((text) => `${JSON.stringify(text)}\n`).join(''));
  }
}
