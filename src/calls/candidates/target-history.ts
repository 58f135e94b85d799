import { z } from 'zod';
import type { Attempt } from '../../kernel/attempt.ts';
import { nameOfTarget } from '../../kernel/conversation/prefix.ts';
import type { ScopedCache } from '../../kernel/ports/scoped-cache.ts';
import { limits } from '../limits.ts';

/** What the last answered call of a conversation left in the cache of its provider. */
const warmPrefix = z.object({
  target: z.string(),
  tokens: z.number(),
  /** The part that the provider reported as read from its cache or written to it. */
  cachedTokens: z.number(),
  atMs: z.number(),
});
export type WarmPrefix = z.infer<typeof warmPrefix>;

type AnsweredAttempt = Pick<Attempt, 'target' | 'ending' | 'isModuleCall' | 'usage'>;

/** The mean output of each target's answers, the latest target last. */
const outputMeans = z.record(z.string(), z.object({ tokens: z.number(), answers: z.number() }));
export type OutputMeans = z.infer<typeof outputMeans>;

/**
 * What earlier calls of an account say about the cost of the next: kept in the cache of the module that asks, and
 * deleted with it. Concurrent calls may miss each other, which doesn't matter in a mean.
 */
export class TargetHistory {
  readonly #cache: ScopedCache;

  constructor(scopedCache: ScopedCache) {
    this.#cache = scopedCache;
  }

  async warmPrefix(conversation: string): Promise<WarmPrefix | undefined> {
    const bytes = await this.#cache.get(prefixKey(conversation));
    return bytes === undefined ? undefined : parse(bytes, warmPrefix);
  }

  /** All calls of the account read them: a cache in this process returns the same bytes until they change. */
  async outputMeans(): Promise<OutputMeans> {
    const bytes = await this.#cache.get(outputKey);
    if (bytes === undefined) return {};
    const means = parsedMeans.get(bytes) ?? parse(bytes, outputMeans) ?? {};
    parsedMeans.set(bytes, means);
    return means;
  }

  /** Called when the call has ended. */
  async add(conversation: string, attempts: readonly AnsweredAttempt[], nowMs: number): Promise<void> {
    const last = attempts.findLast(({ ending, isModuleCall }) => ending?.how === 'complete' && !isModuleCall);
    if (last === undefined) return;
    const { input_tokens = 0, output_tokens = 0, ...cached } = last.usage;
    const { cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = cached;
    const target = nameOfTarget(last.target);
    const cachedTokens = cache_read_input_tokens + cache_creation_input_tokens;
    const tokens = input_tokens + cachedTokens + output_tokens;
    await this.#write(prefixKey(conversation), { target, tokens, cachedTokens, atMs: nowMs });
    const { [target]: mean = { tokens: 0, answers: 0 }, ...others } = await this.outputMeans();
    const answers = Math.min(mean.answers + 1, limits.outputMeanAnswers);
    const moved = Math.round(mean.tokens + (output_tokens - mean.tokens) / answers);
    const kept = Object.entries(others).slice(1 - limits.outputMeansMax);
    await this.#write(outputKey, { ...Object.fromEntries(kept), [target]: { tokens: moved, answers } });
  }

  #write(key: string, value: object): Promise<void> {
    return this.#cache.put(key, Buffer.from(JSON.stringify(value)), limits.targetHistorySeconds);
  }
}

const parsedMeans = new WeakMap<Uint8Array, OutputMeans>();

function parse<Value>(bytes: Uint8Array, schema: z.ZodType<Value>): Value | undefined {
  return schema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8'))).data;
}

function prefixKey(conversation: string): string {
  return `weir:warm prefix ${conversation}`;
}

const outputKey = 'weir:mean outputs';
