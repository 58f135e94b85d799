import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ModelFiles } from '../model-files.ts';
import type { ModelAnswer, ModelQuestion } from '../model-questions.ts';
import { judgeGraph, meaningGraph } from './encoder-graph.ts';
import { type EncoderWeights, keptWeights, publishedWeights, width } from './encoder-weights.ts';
import type { Runtime, Session, Tensor } from './runtime.ts';
import { type KnownFile, Tensors } from './safetensors.ts';
import { TokenTable } from './token-table.ts';
import { firstId, lastId, WordPieces } from './word-pieces.ts';

/** A model that is ready to run. */
interface Loaded {
  readonly session: Session;
  /** The vectors that tell the sides of a pair apart. */
  readonly sides: Float32Array;
}

type Name = ModelQuestion['model'];

/** Tokens that are read at once, and in how many pieces of a long text: its beginning, then its end. */
const windows = {
  meaning: { tokens: 126, pieces: 2 },
  tools: { tokens: 94, pieces: 1 },
} as const;
/** What the judge may read on a side; it never reads a part of one. */
const judgedTokensMax = 126;

/** The models, each built and loaded with its first question. */
export class Models {
  readonly #runtime: Runtime;
  readonly #files: ModelFiles;
  readonly #pieces: WordPieces;
  readonly #table: TokenTable;
  readonly #loaded = new Map<Name, Promise<Loaded>>();

  constructor(runtime: Runtime, files: ModelFiles) {
    this.#runtime = runtime;
    this.#files = files;
    this.#pieces = new WordPieces(vocabularyOf(files.vocabulary));
    const published = new Tensors(files.published);
    this.#table = new TokenTable(published);
    published.close();
  }

  load(name: Name): Promise<Loaded> {
    const before = this.#loaded.get(name);
    if (before !== undefined) return before;
    const loading = this.#load(name);
    this.#loaded.set(name, loading);
    return loading;
  }

  async answer(question: ModelQuestion): Promise<ModelAnswer> {
    if (question.model === 'judge') return this.#judge(question.before, question.now);
    const ids = this.#pieces.ids(question.text);
    if (question.tokensMax !== undefined && ids.length > question.tokensMax) return { why: 'long' };
    const loaded = await this.load(question.model);
    const sum = new Float32Array(width);
    for (const piece of piecesOf(ids, windows[question.model])) {
      const mean = unit(await this.#mean(loaded, piece));
      for (let at = 0; at < width; at++) sum[at] = (sum[at] ?? 0) + (mean[at] ?? 0);
    }
    return { values: unit(sum), tokens: ids.length };
  }

  async #mean({ session, sides }: Loaded, ids: readonly number[]): Promise<Float32Array> {
    const whole = [firstId, ...ids, lastId];
    const embedded = this.#tensor(
      this.#table.embedded(whole, sides, () => 0),
      [1, whole.length, width],
    );
    return floats(await session.run({ embedded }), 'mean');
  }

  async #judge(before: string, now: string): Promise<ModelAnswer> {
    const [one, other] = [this.#pieces.ids(before), this.#pieces.ids(now)];
    if (one.length > judgedTokensMax || other.length > judgedTokensMax) return { logit: undefined };
    const { session, sides } = await this.load('judge');
    const ids = [firstId, ...one, lastId, ...other, lastId];
    const second = one.length + 2;
    const embedded = this.#table.embedded(ids, sides, (at) => (at < second ? 0 : 1));
    const shares = new Float32Array(2 * ids.length);
    shares.fill(1 / one.length, 1, 1 + one.length);
    shares.fill(1 / other.length, ids.length + second, ids.length + second + other.length);
    const [logit] = floats(
      await session.run({
        embedded: this.#tensor(embedded, [1, ids.length, width]),
        sides: this.#tensor(shares, [1, 2, ids.length]),
      }),
      'logit',
    );
    return { logit };
  }

  async #load(name: Name): Promise<Loaded> {
    const tensors = new Tensors(this.#files[name === 'meaning' ? 'published' : name]);
    try {
      const isPublished = name === 'meaning';
      const weights: EncoderWeights = isPublished ? publishedWeights(tensors) : keptWeights(tensors);
      const graph = name === 'judge' ? judgeGraph(weights) : meaningGraph(weights);
      const session = await this.#runtime.InferenceSession.create(graph, {
        intraOpNumThreads: 1,
        interOpNumThreads: 1,
        executionMode: 'sequential',
        graphOptimizationLevel: 'basic',
        enableCpuMemArena: false,
        enableMemPattern: false,
        logSeverityLevel: 3,
      });
      return {
        session,
        sides: tensors.floats(isPublished ? 'embeddings.token_type_embeddings.weight' : 'type'),
      };
    } finally {
      tensors.close();
    }
  }

  #tensor(values: Float32Array, shape: readonly number[]): Tensor {
    return new this.#runtime.Tensor('float32', values, shape);
  }
}

function vocabularyOf({ path, sha256 }: KnownFile): Readonly<Record<string, number>> {
  const bytes = readFileSync(path);
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new Error(`${path} is not the file that it should be`);
  return JSON.parse(bytes.toString()).model.vocab;
}

/** The whole of a short text; the beginning and, where two pieces are allowed, the end of a long one. */
function piecesOf(
  ids: readonly number[],
  { tokens, pieces }: (typeof windows)[keyof typeof windows],
): readonly (readonly number[])[] {
  if (ids.length <= tokens) return [ids];
  const beginning = ids.slice(0, tokens);
  return pieces === 1 ? [beginning] : [beginning, ids.slice(Math.max(tokens, ids.length - tokens))];
}

function unit(values: Float32Array): Float32Array {
  let squares = 0;
  for (const value of values) squares += value * value;
  const length = Math.sqrt(squares) || 1;
  return values.map((value) => value / length);
}

function floats(results: Readonly<Record<string, Tensor>>, name: string): Float32Array {
  const data = results[name]?.data;
  if (!(data instanceof Float32Array)) throw new Error(`the model gave no ${name}`);
  return data;
}
