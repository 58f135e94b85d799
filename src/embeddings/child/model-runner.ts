import { entityLabels, type TaggedWord } from '../../kernel/ports/text-models.ts';
import type { InferenceRequest, InferenceResult } from '../inference.ts';
import type { ModelFiles } from '../model-files.ts';
import { caseClassOf } from './case-classes.ts';
import { readPinnedFile } from './pinned-file.ts';
import type { OnnxRuntime, Session, Tensor } from './runtime.ts';
import { SafetensorsFile } from './safetensors.ts';
import { TokenEmbeddings, width } from './token-embeddings.ts';
import { clsTokenId, sepTokenId, type TokenizedWord, WordPieceTokenizer } from './word-piece-tokenizer.ts';

/** A model that is ready to run. */
interface LoadedModel {
  readonly session: Session;
  /** The segment embeddings: of the two sides of a pair, or of classes of words and texts. */
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
/** The windows of the models that read all of a text, in tokens; each shares some with the one before. */
const overlappingWindows = {
  entities: { tokens: 126, shared: 32 },
  injection: { tokens: 126, shared: 63 },
} as const;

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
    if (question.model === 'entities') return { words: await this.#tagEntities(question.text) };
    if (question.model === 'injection')
      return { logit: await this.#scoreInjection(question.text, question.isThirdParty ? 1 : 0) };
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

  async #tagEntities(text: string): Promise<readonly TaggedWord[]> {
    const words = this.#tokenizer.words(text);
    const { session, sides } = await this.load('entities');
    const distances = new Int32Array(words.length).fill(-1);
    const tagged: (TaggedWord | undefined)[] = [];
    for (const { from, to } of cutWindows(words, overlappingWindows.entities)) {
      const window = words.slice(from, to);
      const ids = [clsTokenId, ...window.flatMap(({ ids }) => ids), sepTokenId];
      const classes = window.flatMap((word) => Array(word.ids.length).fill(caseClassOf(text, word)));
      const embedded = this.#tokenEmbeddings.embed(ids, sides, (at) => classes[at - 1] ?? 0);
      const logits = readFloats(
        await session.run({ embedded: this.#tensor(embedded, [1, ids.length, width]) }),
        'logits',
      );
      // The model was trained on the first piece of each word.
      let token = 1;
      for (const [at, word] of window.entries()) {
        // Of two windows, the one in which the word is farther from the edge has seen more around it.
        const distance = Math.min(at, window.length - 1 - at);
        if (distance > (distances[from + at] ?? 0)) {
          distances[from + at] = distance;
          tagged[from + at] = tagWord(word, logits.subarray(token * labelCount, (token + 1) * labelCount));
        }
        token += word.ids.length;
      }
    }
    return tagged.filter((word) => word !== undefined);
  }

  async #scoreInjection(text: string, side: number): Promise<number | undefined> {
    const words = this.#tokenizer.words(text);
    const { session, sides } = await this.load('injection');
    let highest: number | undefined;
    for (const { from, to } of cutWindows(words, overlappingWindows.injection)) {
      const ids = [clsTokenId, ...words.slice(from, to).flatMap(({ ids }) => ids), sepTokenId];
      const embedded = this.#tokenEmbeddings.embed(ids, sides, () => side);
      const [logit = 0] = readFloats(
        await session.run({ embedded: this.#tensor(embedded, [1, ids.length, width]) }),
        'logit',
      );
      highest = Math.max(highest ?? logit, logit);
    }
    return highest;
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

/** The token windows of a text as ranges of its words. */
function* cutWindows(
  words: readonly TokenizedWord[],
  { tokens, shared }: (typeof overlappingWindows)[keyof typeof overlappingWindows],
): Generator<{ readonly from: number; readonly to: number }> {
  for (let from = 0; from < words.length; ) {
    let to = from;
    for (let count = 0; to < words.length; to++) {
      count += words[to]?.ids.length ?? 0;
      if (count > tokens) break;
    }
    yield { from, to };
    if (to === words.length) return;
    let next = to;
    for (let count = 0; next > from + 1; next--) {
      count += words[next - 1]?.ids.length ?? 0;
      if (count > shared) break;
    }
    from = next;
  }
}

/** Undefined if the word is almost certainly part of no entity. */
function tagWord({ start, end }: TokenizedWord, logits: Float32Array): TaggedWord | undefined {
  let best = 1;
  let sum = 0;
  const highest = Math.max(...logits);
  for (const [at, logit] of logits.entries()) {
    sum += Math.exp(logit - highest);
    if (at > 0 && logit > (logits[best] ?? 0)) best = at;
  }
  const outside = Math.exp((logits[0] ?? 0) - highest) / sum;
  const label = entityLabels[(best - 1) >> 1];
  if (label === undefined || outside > outsideMax) return undefined;
  return { start, end, label, begins: best % 2 === 1, outside };
}

/** No label, and the begin and the inside of each. */
const labelCount = 1 + 2 * entityLabels.length;
const outsideMax = 0.9;

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
