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

/** The mean output of a model's answers. */
const outputMean = z.object({ tokens: z.number(), answers: z.number() });

/**
 * What earlier calls of an account say about the cost of the next: kept in the cache of the module that asks, and
 * deleted with it. Concurrent calls may miss each other, which doesn't matter in a mean.
 */
export class TargetHistory {
  readonly #cache: ScopedCache;

  constructor(scopedCache: ScopedCache) {
    this.#cache = scopedCache;
  }

  warmPrefix(conversation: string): Promise<WarmPrefix | undefined> {
    return this.#read(prefixKey(conversation), warmPrefix);
  }

  async meanOutput(target: string): Promise<number | undefined> {
    return (await this.#read(outputKey(target), outputMean))?.tokens;
  }

  /** Called when the call has ended. */
  async add(conversation: string, attempts: readonly Attempt[], nowMs: number): Promise<void> {
    const last = attempts.findLast(({ ending, isModuleCall }) => ending?.how === 'complete' && !isModuleCall);
    if (last === undefined) return;
    const { input_tokens = 0, output_tokens = 0, ...cached } = last.usage;
    const { cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = cached;
    const target = nameOfTarget(last.target);
    const cachedTokens = cache_read_input_tokens + cache_creation_input_tokens;
    const tokens = input_tokens + cachedTokens + output_tokens;
    await this.#write(prefixKey(conversation), { target, tokens, cachedTokens, atMs: nowMs });
    const mean = (await this.#read(outputKey(target), outputMean)) ?? { tokens: 0, answers: 0 };
    const answers = Math.min(mean.answers + 1, limits.outputMeanAnswers);
    const moved = mean.tokens + (output_tokens - mean.tokens) / answers;
    await this.#write(outputKey(target), { tokens: moved, answers });
  }

  async #read<Value>(key: string, schema: z.ZodType<Value>): Promise<Value | undefined> {
    const bytes = await this.#cache.get(key);
    if (bytes === undefined) return undefined;
    return schema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8'))).data;
  }

  #write(key: string, value: object): Promise<void> {
    return this.#cache.put(key, Buffer.from(JSON.stringify(value)), limits.targetHistorySeconds);
  }
}

function prefixKey(conversation: string): string {
  return `weir:warm prefix ${conversation}`;
}

function outputKey(target: string): string {
  return `weir:mean output ${target}`;
}
