import { hash } from 'node:crypto';
import { limits } from '../kernel/limits.ts';
import { Lru } from '../kernel/lru.ts';
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
import { withTimeout } from '../kernel/with-timeout.ts';
import type { InferenceClient } from './inference.ts';
import type { SharedEmbeddingCache } from './vectors/shared-embedding-cache.ts';

interface TextEmbeddingsParts {
  /** What operators set. */
  readonly source: string;
  readonly models: InferenceClient;
  /** Makes vectors for `meaning` instead of the model here. */
  readonly provider?: EmbeddingProvider | undefined;
  /** Keeps vectors of texts that are nobody's secret. */
  readonly sharedCache?: SharedEmbeddingCache | undefined;
}

interface EmbeddedText {
  readonly vector: Vector;
  readonly tokens: number;
}

type EmbeddingBackend = 'meaning' | 'tools' | 'provider';

/** Vectors of texts, from the models here or from a provider, and remembered for a while. */
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

  /** How many vectors were remembered, and how often there were none, in all and for one reason. */
  get figures() {
    const aside = [...this.#failureCounts.values()].reduce((sum, count) => sum + count, 0);
    return {
      hits: this.#hits,
      aside,
      of: (why: EmbeddingFailureReason) => this.#failureCounts.get(why) ?? 0,
    };
  }

  async one(text: string, asking: EmbeddingOptions = {}): Promise<EmbeddingResult> {
    const all = await this.many([text], asking);
    const [vector] = all.vectors ?? [];
    if (all.why !== undefined || vector === undefined) return { why: all.why ?? 'down' };
    return { vector, tokens: all.tokens[0] ?? 0 };
  }

  async many(texts: readonly string[], asking: EmbeddingOptions = {}): Promise<EmbeddingBatchResult> {
    const { use = 'meaning', deadlineMs = limits.embeddingDeadlineMs, tokensMax } = asking;
    const scope = asking.isPublic === true ? '' : (asking.scope ?? '');
    const startedAtMs = performance.now();
    if (asking.signal?.aborted === true) return this.#fail('late');
    const here: EmbeddingBackend = use === 'tools' ? 'tools' : 'meaning';
    const maker = use === 'meaning' && this.#parts.provider !== undefined ? 'provider' : here;
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
    const kept = asking.isPublic === true && maker !== 'provider' ? this.#parts.sharedCache : undefined;
    if (kept !== undefined && missing.size > 0)
      await this.#loadShared(kept, missing, { maker, made, deadlineMs });
    const before = new Set(made.keys());
    const leftMs = Math.max(0, Math.floor(deadlineMs - (performance.now() - startedAtMs)));
    const why = await this.#embedMissing(maker, missing, { made, deadlineMs: leftMs, tokensMax });
    if (kept !== undefined) await storeNewEmbeddings(kept, { made, before, deadlineMs });
    if (why !== undefined) return this.#fail(why);
    const all = wanted.flatMap(({ key }) => made.get(key) ?? []);
    if (all.length < texts.length) return this.#fail('down');
    const tokens = all.map((one) => one.tokens);
    if (Math.max(...tokens) > (tokensMax ?? Number.POSITIVE_INFINITY)) return this.#fail('long');
    return { vectors: all.map(({ vector }) => vector), tokens };
  }

  /** Takes those out of `missing` that were kept. What they had as tokens nobody knows any more. */
  async #loadShared(
    kept: SharedEmbeddingCache,
    missing: Map<string, string>,
    { maker: embeddingBackend, made, deadlineMs }: LoadContext,
  ): Promise<void> {
    const space = embeddingBackend === 'tools' ? spaces.tools : spaces.meaning;
    const texts = new Map(missing);
    const finding = kept.find([...texts.keys()], space).then((found) =>
      Array.from(found, ([key, vector]) => {
        const one = { vector, tokens: estimateTokens(texts.get(key) ?? '') };
        // What comes too late for this call is there for the next.
        this.#cache.set(key, one);
        return [key, one] as const;
      }),
    );
    for (const [key, one] of await withTimeout(finding, deadlineMs, () => new Error('late')).catch(
      () => [],
    )) {
      made.set(key, one);
      missing.delete(key);
    }
  }

  async sameAnswer(pairs: readonly TextPair[], asking: JudgeOptions = {}): Promise<JudgeResult> {
    const { deadlineMs = limits.embeddingDeadlineMs, signal } = asking;
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

  /** Fills `made`; why not, where some could not be made. */
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

/** Who can wait for a start waits for this, too; a call doesn't. */
async function storeNewEmbeddings(
  kept: SharedEmbeddingCache,
  { made, before, deadlineMs }: NewEmbeddings,
): Promise<void> {
  const fresh = new Map<string, Vector>();
  for (const [key, { vector }] of made) if (!before.has(key)) fresh.set(key, vector);
  const keeping = kept.store(fresh);
  if (deadlineMs >= limits.embedderPatientMs) await keeping;
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
  // Its tokens are not ours: their number is told by the length.
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

/** A change of a model or of its rounding is another space. */
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
