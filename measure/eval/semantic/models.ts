import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalModels } from '../../../src/embeddings/local-models.ts';
import { findModelFiles } from '../../../src/embeddings/model-files.ts';
import { TextEmbeddings } from '../../../src/embeddings/text-embeddings.ts';

const unhurried = { deadlineMs: 60_000, use: 'judging' } as const;
const tokensMax = 62;

/** What the models are built by, and of what: what was kept of others isn't theirs. */
function mark(): string {
  const hash = createHash('sha256');
  for (const { sha256 } of Object.values(findModelFiles() ?? {})) hash.update(sha256);
  for (const name of ['model-runner', 'token-embeddings', 'word-piece-tokenizer'])
    hash.update(readFileSync(join(import.meta.dirname, '../../../src/embeddings/child', `${name}.ts`)));
  return hash.digest('hex').slice(0, 12);
}

/** The models of the gateway, whose words are kept on disk: a set takes minutes once, and seconds from then on. */
export class CachedModels {
  readonly #models = new LocalModels({ findFiles: findModelFiles });
  readonly #embeddings = new TextEmbeddings({ source: 'local', models: this.#models });
  readonly #file: string;
  readonly #known = new Map<string, string>();
  #fresh = '';

  constructor(folder = join(tmpdir(), 'weir-eval-semantic')) {
    mkdirSync(folder, { recursive: true });
    this.#file = join(folder, `models-${mark()}.txt`);
    if (!existsSync(this.#file)) return;
    for (const line of readFileSync(this.#file, 'utf8').split('\n')) {
      const [name = '', value] = line.split(' ');
      if (value !== undefined) this.#known.set(name, value);
    }
  }

  /** Undefined where the text is longer than is looked up. */
  async vector(text: string): Promise<Float32Array | undefined> {
    const kept = await this.#kept(['vector', text], async () => {
      const { vector, why } = await this.#embeddings.one(text, { ...unhurried, tokensMax });
      if (vector === undefined && why !== 'long') throw new Error(`no vector: ${why}`);
      return vector === undefined
        ? 'long'
        : Buffer.from(vector.values.buffer, vector.values.byteOffset, vector.values.byteLength).toString(
            'base64',
          );
    });
    if (kept === 'long') return undefined;
    const bytes = Buffer.from(kept, 'base64');
    return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  }

  async logit(before: string, now: string): Promise<number> {
    const kept = await this.#kept(['logit', before, now], async () => {
      const { logits, why } = await this.#embeddings.sameAnswer([{ before, now }], unhurried);
      const [logit] = logits ?? [];
      if (logit === undefined) throw new Error(`not judged: ${why}`);
      return String(logit);
    });
    return Number(kept);
  }

  async close(): Promise<void> {
    this.#write();
    await this.#models.close();
  }

  async #kept(parts: readonly string[], make: () => Promise<string>): Promise<string> {
    const name = createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const made = await make();
    this.#known.set(name, made);
    this.#fresh += `${name} ${made}\n`;
    if (this.#fresh.length > 1_000_000) this.#write();
    return made;
  }

  #write(): void {
    appendFileSync(this.#file, this.#fresh);
    this.#fresh = '';
  }
}
