import type { InferenceRequest, InferenceResult } from '../inference.ts';
import type { ModelFiles } from '../model-files.ts';
import { readPinnedFile } from './pinned-file.ts';
import type { OnnxRuntime, Session, Tensor } from './runtime.ts';
import { SafetensorsFile } from './safetensors.ts';
import { TokenEmbeddings, width } from './token-embeddings.ts';
import { clsTokenId, sepTokenId, WordPieceTokenizer } from './word-piece-tokenizer.ts';

/** A model that is ready to run. */
interface LoadedModel {
  readonly session: Session;
  /** The segment embeddings of the two sides of a pair. */
  readonly sides: Float32Array;
}

type ModelName = InferenceRequest['model'];

/** Tokens per window, and the maximum windows of a long text: its beginning, then its end. */
const tokenWindows = {
  meaning: { tokens: 126, pieces: 2 },
  tools: { tokens: 94, pieces: 1 },
} as const;
/** The judge's maximum per side; it never reads a truncated side. */
const judgedTokensMax = 126;

/** Runs the models; each is loaded with its first request. */
export class ModelRunner {
  readonly #runtime: OnnxRuntime;
  readonly #files: ModelFiles;
  readonly #tokenizer: WordPieceTokenizer;
  readonly #tokenEmbeddings: TokenEmbeddings;
  readonly #segments: Readonly<Record<ModelName, readonly number[]>>;
  readonly #loaded = new Map<ModelName, Promise<LoadedModel>>();

  constructor(onnxRuntime: OnnxRuntime, files: ModelFiles) {
    this.#runtime = onnxRuntime;
    this.#files = files;
    this.#tokenizer = new WordPieceTokenizer(
      JSON.parse(readPinnedFile(files.vocabulary).toString()).model.vocab,
    );
    this.#segments = JSON.parse(readPinnedFile(files.segments).toString());
    const published = new SafetensorsFile(files.published);
    this.#tokenEmbeddings = new TokenEmbeddings(published);
    published.close();
  }

  load(name: ModelName): Promise<LoadedModel> {
    const before = this.#loaded.get(name);
    if (before !== undefined) return before;
    const loading = this.#load(name);
    this.#loaded.set(name, loading);
    return loading;
  }

  async run(question: InferenceRequest): Promise<InferenceResult> {
    if (question.model === 'judge') return this.#judge(question.before, question.now);
    const ids = this.#tokenizer.encode(question.text);
    if (question.tokensMax !== undefined && ids.length > question.tokensMax) return { why: 'long' };
    const loadedModel = await this.load(question.model);
    const sum = new Float32Array(width);
    for (const piece of splitIntoWindows(ids, tokenWindows[question.model])) {
      const mean = normalize(await this.#embedWindow(loadedModel, piece));
      for (let at = 0; at < width; at++) sum[at] = (sum[at] ?? 0) + (mean[at] ?? 0);
    }
    return { values: normalize(sum), tokens: ids.length };
  }

  async #embedWindow({ session, sides }: LoadedModel, ids: readonly number[]): Promise<Float32Array> {
    const whole = [clsTokenId, ...ids, sepTokenId];
    const embedded = this.#tensor(
      this.#tokenEmbeddings.embed(whole, sides, () => 0),
      [1, whole.length, width],
    );
    return readFloats(await session.run({ embedded }), 'mean');
  }

  async #judge(before: string, now: string): Promise<InferenceResult> {
    const [one, other] = [this.#tokenizer.encode(before), this.#tokenizer.encode(now)];
    if (one.length > judgedTokensMax || other.length > judgedTokensMax) return { logit: undefined };
    const { session, sides } = await this.load('judge');
    const ids = [clsTokenId, ...one, sepTokenId, ...other, sepTokenId];
    const second = one.length + 2;
    const embedded = this.#tokenEmbeddings.embed(ids, sides, (at) => (at < second ? 0 : 1));
    const shares = new Float32Array(2 * ids.length);
    shares.fill(1 / one.length, 1, 1 + one.length);
    shares.fill(1 / other.length, ids.length + second, ids.length + second + other.length);
    const [logit] = readFloats(
      await session.run({
        embedded: this.#tensor(embedded, [1, ids.length, width]),
        sides: this.#tensor(shares, [1, 2, ids.length]),
      }),
      'logit',
    );
    return { logit };
  }

  async #load(name: ModelName): Promise<LoadedModel> {
    const session = await this.#runtime.InferenceSession.create(readPinnedFile(this.#files[name]), {
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      graphOptimizationLevel: 'basic',
      enableCpuMemArena: false,
      enableMemPattern: false,
      logSeverityLevel: 3,
    });
    return { session, sides: Float32Array.from(this.#segments[name]) };
  }

  #tensor(values: Float32Array, shape: readonly number[]): Tensor {
    return new this.#runtime.Tensor('float32', values, shape);
  }
}

/** The whole of a short text; the beginning of a long one and, if two windows are allowed, its end. */
function splitIntoWindows(
  ids: readonly number[],
  { tokens, pieces }: (typeof tokenWindows)[keyof typeof tokenWindows],
): readonly (readonly number[])[] {
  if (ids.length <= tokens) return [ids];
  const beginning = ids.slice(0, tokens);
  return pieces === 1 ? [beginning] : [beginning, ids.slice(Math.max(tokens, ids.length - tokens))];
}

function normalize(values: Float32Array): Float32Array {
  let squares = 0;
  for (const value of values) squares += value * value;
  const length = Math.sqrt(squares) || 1;
  return values.map((value) => value / length);
}

function readFloats(results: Readonly<Record<string, Tensor>>, name: string): Float32Array {
  const data = results[name]?.data;
  if (!(data instanceof Float32Array)) throw new Error(`the model returned no ${name}`);
  return data;
}
