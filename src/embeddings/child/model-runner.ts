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
  /** An order in a document is short, and a longer window has more of the document. */
  injectionInDocuments: { tokens: 64, shared: 32 },
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
    if (question.model === 'entities') return this.#tagEntities(question.text);
    if (question.model === 'injection') return this.#scoreInjection(question.text, question.isThirdParty);
    const ids = this.#tokenizer.encode(question.text);
    if (question.tokensMax !== undefined && ids.length > question.tokensMax) return { why: 'long' };
    const loadedModel = await this.load(question.model);
    const sum = new Float32Array(width);
    for (const piece of splitIntoWindows(ids, tokenWindows[question.model])) {
      const mean = normalize(await this.#readWindow(loadedModel, piece, () => 0, 'mean'));
      for (let at = 0; at < width; at++) sum[at] = (sum[at] ?? 0) + (mean[at] ?? 0);
    }
    return { values: normalize(sum), tokens: ids.length };
  }

  async #readWindow(
    { session, sides }: LoadedModel,
    ids: readonly number[],
    sideOf: (at: number) => number,
    output: string,
  ): Promise<Float32Array> {
    const whole = [clsTokenId, ...ids, sepTokenId];
    const embedded = this.#tensor(this.#tokenEmbeddings.embed(whole, sides, sideOf), [
      1,
      whole.length,
      width,
    ]);
    return readFloats(await session.run({ embedded }), output);
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

  async #tagEntities(text: string): Promise<InferenceResult> {
    const { words, end, next } = firstWindow(this.#tokenizer.words(text), 'entities');
    const loadedModel = await this.load('entities');
    const ids = words.flatMap(({ ids }) => ids);
    const classes = words.flatMap((word) => Array(word.ids.length).fill(caseClassOf(text, word)));
    const logits = await this.#readWindow(loadedModel, ids, (at) => classes[at - 1] ?? 0, 'logits');
    const tagged: TaggedWord[] = [];
    let token = 1;
    for (const word of words) {
      // The model was trained on the first piece of each word.
      const found = tagWord(word, logits.subarray(token * labelCount, (token + 1) * labelCount));
      if (found !== undefined) tagged.push(found);
      token += word.ids.length;
    }
    return { words: tagged, end, next };
  }

  async #scoreInjection(text: string, isThirdParty: boolean): Promise<InferenceResult> {
    const window = isThirdParty ? 'injectionInDocuments' : 'injection';
    const { words, next } = firstWindow(this.#tokenizer.words(text), window);
    if (words.length === 0) return { logit: undefined, next };
    const loadedModel = await this.load('injection');
    const ids = words.flatMap(({ ids }) => ids);
    const [logit] = await this.#readWindow(loadedModel, ids, () => (isThirdParty ? 1 : 0), 'logit');
    return { logit, next };
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

/** The first window of a text, its end, and where the next begins; undefined if nothing is left. */
function firstWindow(words: readonly TokenizedWord[], kind: keyof typeof overlappingWindows) {
  const { tokens, shared } = overlappingWindows[kind];
  let count = 0;
  let next = 0;
  for (const [at, { ids }] of words.entries()) {
    if (at <= 1 || count <= tokens - shared) next = at;
    count += ids.length;
    if (count > tokens)
      return { words: words.slice(0, at), end: words[at - 1]?.end ?? 0, next: words[next]?.start };
  }
  return { words, end: words.at(-1)?.end ?? 0, next: undefined };
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
