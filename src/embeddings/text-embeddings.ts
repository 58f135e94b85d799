import { hash } from 'node:crypto';
import { limits } from '../kernel/limits.ts';
import { Lru } from '../kernel/lru.ts';
import type {
  AllEmbedded,
  Embedded,
  Embeddings,
  EmbeddingsAsking,
  EmbeddingsState,
  JudgeAsking,
  Judged,
  NoVectors,
  ProviderOfVectors,
  TextPair,
  Vector,
  WhyNoVectors,
} from '../kernel/ports/embeddings.ts';
import { within } from '../kernel/within.ts';
import type { ModelsHere } from './model-questions.ts';
import type { KeptTexts } from './vectors/kept-texts.ts';

interface TextEmbeddingsParts {
  /** What operators set. */
  readonly source: string;
  readonly models: ModelsHere;
  /** Makes vectors for `meaning` instead of the model here. */
  readonly provider?: ProviderOfVectors | undefined;
  /** Keeps vectors of texts that are nobody's secret. */
  readonly kept?: KeptTexts | undefined;
}

interface Made {
  readonly vector: Vector;
  readonly tokens: number;
}

type Maker = 'meaning' | 'tools' | 'provider';

/** Vectors of texts, from the models here or from a provider, and remembered for a while. */
export class TextEmbeddings implements Embeddings {
  readonly #parts: TextEmbeddingsParts;
  readonly #remembered = new Lru<Made>(limits.vectorsRemembered);
  readonly #aside = new Map<WhyNoVectors, number>();
  #hits = 0;

  constructor(parts: TextEmbeddingsParts) {
    this.#parts = parts;
  }

  state(): EmbeddingsState {
    const { source, models, provider } = this.#parts;
    const whyNotLocal = models.why();
    return { source, why: provider === undefined ? whyNotLocal : provider.why(), whyNotLocal };
  }

  /** How many vectors were remembered, and how often there were none, in all and for one reason. */
  get figures() {
    const aside = [...this.#aside.values()].reduce((sum, count) => sum + count, 0);
    return { hits: this.#hits, aside, of: (why: WhyNoVectors) => this.#aside.get(why) ?? 0 };
  }

  async one(text: string, asking: EmbeddingsAsking = {}): Promise<Embedded> {
    const all = await this.many([text], asking);
    const [vector] = all.vectors ?? [];
    if (all.why !== undefined || vector === undefined) return { why: all.why ?? 'down' };
    return { vector, tokens: all.tokens[0] ?? 0 };
  }

  async many(texts: readonly string[], asking: EmbeddingsAsking = {}): Promise<AllEmbedded> {
    const { use = 'meaning', deadlineMs = limits.embeddingDeadlineMs, tokensMax } = asking;
    const scope = asking.isPublic === true ? '' : (asking.scope ?? '');
    const startedAtMs = performance.now();
    if (asking.signal?.aborted === true) return this.#none('late');
    const here: Maker = use === 'tools' ? 'tools' : 'meaning';
    const maker = use === 'meaning' && this.#parts.provider !== undefined ? 'provider' : here;
    if (tokensMax !== undefined && texts.some((text) => text.length > charactersRead))
      return this.#none('long');
    const wanted = texts.map(readPartOf).map((text) => ({ text, key: keyOf(maker, scope, text) }));
    const made = new Map<string, Made>();
    const missing = new Map<string, string>();
    for (const { text, key } of wanted) {
      const before = this.#remembered.get(key);
      if (before === undefined) missing.set(key, text);
      else made.set(key, before);
    }
    this.#hits += made.size;
    const kept = asking.isPublic === true && maker !== 'provider' ? this.#parts.kept : undefined;
    if (kept !== undefined && missing.size > 0)
      await this.#recall(kept, missing, { maker, made, deadlineMs });
    const before = new Set(made.keys());
    const leftMs = Math.max(0, Math.floor(deadlineMs - (performance.now() - startedAtMs)));
    const why = await this.#make(maker, missing, { made, deadlineMs: leftMs, tokensMax });
    if (kept !== undefined) await keepNew(kept, { made, before, deadlineMs });
    if (why !== undefined) return this.#none(why);
    const all = wanted.flatMap(({ key }) => made.get(key) ?? []);
    if (all.length < texts.length) return this.#none('down');
    const tokens = all.map((one) => one.tokens);
    if (Math.max(...tokens) > (tokensMax ?? Number.POSITIVE_INFINITY)) return this.#none('long');
    return { vectors: all.map(({ vector }) => vector), tokens };
  }

  /** Takes those out of `missing` that were kept. What they had as tokens nobody knows any more. */
  async #recall(
    kept: KeptTexts,
    missing: Map<string, string>,
    { maker, made, deadlineMs }: Recalling,
  ): Promise<void> {
    const space = maker === 'tools' ? spaces.tools : spaces.meaning;
    const texts = new Map(missing);
    const finding = kept.find([...texts.keys()], space).then((found) =>
      Array.from(found, ([key, vector]) => {
        const one = { vector, tokens: estimatedTokens(texts.get(key) ?? '') };
        // What comes too late for this call is there for the next.
        this.#remembered.set(key, one);
        return [key, one] as const;
      }),
    );
    for (const [key, one] of await within(finding, deadlineMs, () => new Error('late')).catch(() => [])) {
      made.set(key, one);
      missing.delete(key);
    }
  }

  async sameAnswer(pairs: readonly TextPair[], asking: JudgeAsking = {}): Promise<Judged> {
    const { deadlineMs = limits.embeddingDeadlineMs, signal } = asking;
    if (signal?.aborted === true) return this.#none('late');
    const answers = await Promise.all(pairs.map((pair) => this.#judge(pair, deadlineMs)));
    const logits: (number | undefined)[] = [];
    for (const answer of answers) {
      if (typeof answer === 'string') return this.#none(answer);
      logits.push(answer.logit);
    }
    return { logits };
  }

  async #judge(
    { before, now }: TextPair,
    deadlineMs: number,
  ): Promise<{ readonly logit: number | undefined } | WhyNoVectors> {
    if (Math.max(before.length, now.length) > charactersRead) return { logit: undefined };
    const answer = await this.#parts.models.ask({ model: 'judge', before, now }, deadlineMs);
    if ('logit' in answer) return answer;
    return 'why' in answer ? answer.why : 'down';
  }

  /** Fills `made`; why not, where some could not be made. */
  async #make(
    maker: Maker,
    missing: ReadonlyMap<string, string>,
    { made, deadlineMs, tokensMax }: Making,
  ): Promise<WhyNoVectors | undefined> {
    const keep = (key: string, one: Made) => {
      made.set(key, one);
      this.#remembered.set(key, one);
    };
    if (missing.size === 0) return undefined;
    const { models, provider } = this.#parts;
    if (maker === 'provider') return provided(provider, missing, { deadlineMs, tokensMax, keep });
    const whys = await Promise.all(
      Array.from(missing, async ([key, text]) => {
        const answer = await models.ask({ model: maker, text, tokensMax }, deadlineMs);
        if ('why' in answer) return answer.why;
        if (!('values' in answer)) return 'down';
        keep(key, { vector: { space: spaces[maker], values: answer.values }, tokens: answer.tokens });
        return undefined;
      }),
    );
    return whys.find((why) => why !== undefined);
  }

  #none(why: WhyNoVectors): NoVectors {
    this.#aside.set(why, (this.#aside.get(why) ?? 0) + 1);
    return { why };
  }
}

interface Making {
  readonly made: Map<string, Made>;
  readonly deadlineMs: number;
  readonly tokensMax: number | undefined;
}

interface Recalling {
  readonly maker: Maker;
  readonly made: Map<string, Made>;
  readonly deadlineMs: number;
}

interface NewlyMade {
  readonly made: ReadonlyMap<string, Made>;
  readonly before: ReadonlySet<string>;
  readonly deadlineMs: number;
}

/** Who can wait for a start waits for this, too; a call doesn't. */
async function keepNew(kept: KeptTexts, { made, before, deadlineMs }: NewlyMade): Promise<void> {
  const fresh = new Map<string, Vector>();
  for (const [key, { vector }] of made) if (!before.has(key)) fresh.set(key, vector);
  const keeping = kept.keep(fresh);
  if (deadlineMs >= limits.embedderPatientMs) await keeping;
}

interface Providing {
  readonly deadlineMs: number;
  readonly tokensMax: number | undefined;
  keep(key: string, made: Made): void;
}

async function provided(
  provider: ProviderOfVectors | undefined,
  missing: ReadonlyMap<string, string>,
  { deadlineMs, tokensMax, keep }: Providing,
): Promise<WhyNoVectors | undefined> {
  if (provider === undefined) return 'off';
  const texts = [...missing.values()];
  // Its tokens are not ours: their number is told by the length.
  if (texts.some((text) => estimatedTokens(text) > (tokensMax ?? Number.POSITIVE_INFINITY))) return 'long';
  const answer = await provider.ask(texts, deadlineMs);
  if (answer.why !== undefined) return answer.why;
  let at = 0;
  for (const [key, text] of missing) {
    const values = answer.values[at++];
    if (values === undefined) return 'down';
    const space = `${answer.model}/${values.length}`;
    keep(key, { vector: { space, values }, tokens: estimatedTokens(text) });
  }
  return undefined;
}

/** A change of a model or of its rounding is another space. */
const spaces = { meaning: 'minilm-l6-v2-int8/384', tools: 'weir-tools-1/384' } as const;

const { beginning, end } = limits.embeddedCharacters;
const charactersRead = beginning + end;

function keyOf(maker: Maker, scope: string, text: string): string {
  return hash('sha256', `${maker}\n${scope}\n${text}`, 'base64');
}

function readPartOf(text: string): string {
  return text.length <= charactersRead ? text : `${text.slice(0, beginning)} ${text.slice(-end)}`;
}

function estimatedTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
