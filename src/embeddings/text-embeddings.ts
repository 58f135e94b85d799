import { hash } from 'node:crypto';
import type {
  EmbeddingBatchResult,
  EmbeddingFailure,
  EmbeddingFailureReason,
  EmbeddingOptions,
  EmbeddingProvider,
  EmbeddingResult,
  Embeddings,
  EmbeddingsState,
  JudgeOptions,
  JudgeResult,
  TextPair,
  Vector,
} from '../kernel/ports/embeddings.ts';
import { Lru } from '../lib/lru.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import type { InferenceClient } from './inference.ts';
import { limits } from './limits.ts';
import type { SharedEmbeddingCache } from './vectors/shared-embedding-cache.ts';

interface TextEmbeddingsParts {
  /** The configured source. */
  readonly source: string;
  readonly models: InferenceClient;
  /** Makes vectors for `meaning` instead of the local model. */
  readonly provider?: EmbeddingProvider | undefined;
  /** Caches vectors of non-secret texts. */
  readonly sharedCache?: SharedEmbeddingCache | undefined;
}

interface EmbeddedText {
  readonly vector: Vector;
  readonly tokens: number;
}

type EmbeddingBackend = 'meaning' | 'tools' | 'provider';

/** Embeds texts with the local models or a provider, and caches the vectors. */
export class TextEmbeddings implements Embeddings {
  readonly #parts: TextEmbeddingsParts;
  readonly #cache = new Lru<EmbeddedText>(limits.cachedVectorsMax);
  readonly #failureCounts = new Map<EmbeddingFailureReason, number>();
  #hits = 0;

  constructor(parts: TextEmbeddingsParts) {
    this.#parts = parts;
  }

  state(): EmbeddingsState {
    const { source, models, provider } = this.#parts;
    const whyNotLocal = models.unavailableReason();
    return { source, why: provider === undefined ? whyNotLocal : provider.unavailableReason(), whyNotLocal };
  }

  /** Cache hits, and failures in total and by reason. */
  get figures() {
    const failures = [...this.#failureCounts.values()].reduce((sum, count) => sum + count, 0);
    return {
      hits: this.#hits,
      aside: failures,
      of: (why: EmbeddingFailureReason) => this.#failureCounts.get(why) ?? 0,
    };
  }

  async one(text: string, options: EmbeddingOptions = {}): Promise<EmbeddingResult> {
    const all = await this.many([text], options);
    const [vector] = all.vectors ?? [];
    if (all.why !== undefined || vector === undefined) return { why: all.why ?? 'down' };
    return { vector, tokens: all.tokens[0] ?? 0 };
  }

  async many(texts: readonly string[], options: EmbeddingOptions = {}): Promise<EmbeddingBatchResult> {
    const { use = 'meaning', deadlineMs = limits.embeddingDeadlineMs, tokensMax } = options;
    const scope = options.isPublic === true ? '' : (options.scope ?? '');
    const startedAtMs = performance.now();
    if (options.signal?.aborted === true) return this.#fail('late');
    const here: EmbeddingBackend = use === 'tools' ? 'tools' : 'meaning';
    const maker = use === 'meaning' && this.#parts.provider !== undefined ? 'provider' : here;
    if (maker === 'provider' && options.isRedacted === true) return this.#fail('redacted');
    if (tokensMax !== undefined && texts.some((text) => text.length > readCharactersMax))
      return this.#fail('long');
    const wanted = texts.map(truncateText).map((text) => ({ text, key: keyOf(maker, scope, text) }));
    const made = new Map<string, EmbeddedText>();
    const missing = new Map<string, string>();
    for (const { text, key } of wanted) {
      const before = this.#cache.get(key);
      if (before === undefined) missing.set(key, text);
      else made.set(key, before);
    }
    this.#hits += made.size;
    const sharedCache =
      options.isPublic === true && maker !== 'provider' ? this.#parts.sharedCache : undefined;
    if (sharedCache !== undefined && missing.size > 0)
      await this.#loadShared(sharedCache, missing, { maker, made, deadlineMs });
    if (missing.size > (options.missingMax ?? Number.POSITIVE_INFINITY)) return this.#fail('late');
    const before = new Set(made.keys());
    const leftMs = Math.max(0, Math.floor(deadlineMs - (performance.now() - startedAtMs)));
    const why = await this.#embedMissing(maker, missing, { made, deadlineMs: leftMs, tokensMax });
    if (sharedCache !== undefined) await storeNewEmbeddings(sharedCache, { made, before, deadlineMs });
    if (why !== undefined) return this.#fail(why);
    const all = wanted.flatMap(({ key }) => made.get(key) ?? []);
    if (all.length < texts.length) return this.#fail('down');
    const tokens = all.map((one) => one.tokens);
    if (Math.max(...tokens) > (tokensMax ?? Number.POSITIVE_INFINITY)) return this.#fail('long');
    return { vectors: all.map(({ vector }) => vector), tokens };
  }

  /** Moves cached texts from `missing` to `made`, with estimated token counts. */
  async #loadShared(
    sharedCache: SharedEmbeddingCache,
    missing: Map<string, string>,
    { maker: embeddingBackend, made, deadlineMs }: LoadContext,
  ): Promise<void> {
    const space = embeddingBackend === 'tools' ? spaces.tools : spaces.meaning;
    const texts = new Map(missing);
    const loading = sharedCache.find([...texts.keys()], space).then((vectors) =>
      Array.from(vectors, ([key, vector]) => {
        const one = { vector, tokens: estimateTokens(texts.get(key) ?? '') };
        // A late result serves the next call.
        this.#cache.set(key, one);
        return [key, one] as const;
      }),
    );
    for (const [key, one] of await withTimeout(loading, deadlineMs, () => new Error('late')).catch(
      () => [],
    )) {
      made.set(key, one);
      missing.delete(key);
    }
  }

  async sameAnswer(pairs: readonly TextPair[], options: JudgeOptions = {}): Promise<JudgeResult> {
    const { deadlineMs = limits.embeddingDeadlineMs, signal } = options;
    if (signal?.aborted === true) return this.#fail('late');
    const answers = await Promise.all(pairs.map((pair) => this.#judge(pair, deadlineMs)));
    const logits: (number | undefined)[] = [];
    for (const answer of answers) {
      if (typeof answer === 'string') return this.#fail(answer);
      logits.push(answer.logit);
    }
    return { logits };
  }

  async #judge(
    { before, now }: TextPair,
    deadlineMs: number,
  ): Promise<{ readonly logit: number | undefined } | EmbeddingFailureReason> {
    if (Math.max(before.length, now.length) > readCharactersMax) return { logit: undefined };
    const answer = await this.#parts.models.infer({ model: 'judge', before, now }, deadlineMs);
    if ('logit' in answer) return answer;
    return 'why' in answer ? answer.why : 'down';
  }

  /** Fills `made`; returns the failure reason if some texts could not be embedded. */
  async #embedMissing(
    embeddingBackend: EmbeddingBackend,
    missing: ReadonlyMap<string, string>,
    { made, deadlineMs, tokensMax }: EmbedContext,
  ): Promise<EmbeddingFailureReason | undefined> {
    const keep = (key: string, one: EmbeddedText) => {
      made.set(key, one);
      this.#cache.set(key, one);
    };
    if (missing.size === 0) return undefined;
    const { models, provider } = this.#parts;
    if (embeddingBackend === 'provider')
      return embedWithProvider(provider, missing, { deadlineMs, tokensMax, keep });
    const whys = await Promise.all(
      Array.from(missing, async ([key, text]) => {
        const answer = await models.infer({ model: embeddingBackend, text, tokensMax }, deadlineMs);
        if ('why' in answer) return answer.why;
        if (!('values' in answer)) return 'down';
        keep(key, {
          vector: { space: spaces[embeddingBackend], values: answer.values },
          tokens: answer.tokens,
        });
        return undefined;
      }),
    );
    return whys.find((why) => why !== undefined);
  }

  #fail(why: EmbeddingFailureReason): EmbeddingFailure {
    this.#failureCounts.set(why, (this.#failureCounts.get(why) ?? 0) + 1);
    return { why };
  }
}

interface EmbedContext {
  readonly made: Map<string, EmbeddedText>;
  readonly deadlineMs: number;
  readonly tokensMax: number | undefined;
}

interface LoadContext {
  readonly maker: EmbeddingBackend;
  readonly made: Map<string, EmbeddedText>;
  readonly deadlineMs: number;
}

interface NewEmbeddings {
  readonly made: ReadonlyMap<string, EmbeddedText>;
  readonly before: ReadonlySet<string>;
  readonly deadlineMs: number;
}

/** Background work waits until the vectors are stored; calls don't. */
async function storeNewEmbeddings(
  sharedCache: SharedEmbeddingCache,
  { made, before, deadlineMs }: NewEmbeddings,
): Promise<void> {
  const fresh = new Map<string, Vector>();
  for (const [key, { vector }] of made) if (!before.has(key)) fresh.set(key, vector);
  const storing = sharedCache.store(fresh);
  if (deadlineMs >= limits.embedderPatientMs) await storing;
}

interface ProviderContext {
  readonly deadlineMs: number;
  readonly tokensMax: number | undefined;
  keep(key: string, embeddedText: EmbeddedText): void;
}

async function embedWithProvider(
  provider: EmbeddingProvider | undefined,
  missing: ReadonlyMap<string, string>,
  { deadlineMs, tokensMax, keep }: ProviderContext,
): Promise<EmbeddingFailureReason | undefined> {
  if (provider === undefined) return 'off';
  const texts = [...missing.values()];
  // The provider's tokenizer is unknown, so tokens are estimated by length.
  if (texts.some((text) => estimateTokens(text) > (tokensMax ?? Number.POSITIVE_INFINITY))) return 'long';
  const answer = await provider.embed(texts, deadlineMs);
  if (answer.why !== undefined) return answer.why;
  let at = 0;
  for (const [key, text] of missing) {
    const values = answer.values[at++];
    if (values === undefined) return 'down';
    const space = `${answer.model}/${values.length}`;
    keep(key, { vector: { space, values }, tokens: estimateTokens(text) });
  }
  return undefined;
}

/** A change of the model or of its quantization needs a new space name. */
const spaces = { meaning: 'minilm-l6-v2-int8/384', tools: 'weir-tools-1/384' } as const;

const { beginning, end } = limits.embeddedCharacters;
const readCharactersMax = beginning + end;

function keyOf(embeddingBackend: EmbeddingBackend, scope: string, text: string): string {
  return hash('sha256', `${embeddingBackend}\n${scope}\n${text}`, 'base64');
}

function truncateText(text: string): string {
  return text.length <= readCharactersMax ? text : `${text.slice(0, beginning)} ${text.slice(-end)}`;
}

function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
