import type { CacheMarks } from '../../kernel/conversation/cache-marks.ts';
import type { Usage } from '../../kernel/message.ts';
import { type Target, wiresOf } from '../../kernel/provider.ts';
import type { ModelPricing } from '../../kernel/rate-card.ts';
import { limits } from '../limits.ts';

/** Formats whose providers cache what the client marks; others cache every long input by themselves. */
const markedFormats = new Set(['anthropic-messages', 'bedrock-converse']);

/** The prompt cache of a target, as a request with these marks would use it. */
export class TargetCache {
  /** How long the provider keeps the input; 0 if it caches nothing of the request. */
  readonly seconds: number;
  readonly #isMarked: boolean;
  readonly #hasHour: boolean;

  constructor(target: Target, { cacheSeconds = 0 }: ModelPricing, { isMarked, hasHour }: CacheMarks) {
    this.#isMarked = wiresOf(target).some(({ name }) => markedFormats.has(name));
    this.#hasHour = this.#isMarked && hasHour;
    if (this.#isMarked && !isMarked) this.seconds = 0;
    else this.seconds = this.#hasHour ? Math.max(cacheSeconds, limits.hourSeconds) : cacheSeconds;
  }

  /** The tokens that it reads from its cache, of those that were sent last; at most what the provider reported. */
  readable(sentTokens: number, reported = sentTokens): number {
    if (this.seconds === 0) return 0;
    if (this.#isMarked) return Math.min(sentTokens, reported);
    return sentTokens < limits.cachedTokensMin ? 0 : sentTokens;
  }

  /** The usage of a call. What is not read from the cache is written to it. */
  usageOf(inputTokens: number, readTokens: number, outputTokens: number): Usage {
    const rest = inputTokens - readTokens;
    if (this.seconds === 0 || (!this.#isMarked && inputTokens < limits.cachedTokensMin))
      return { input_tokens: rest, cache_read_input_tokens: readTokens, output_tokens: outputTokens };
    const hour = this.#hasHour ? { ephemeral_1h_input_tokens: rest } : {};
    return {
      cache_read_input_tokens: readTokens,
      cache_creation_input_tokens: rest,
      cache_creation: hour,
      output_tokens: outputTokens,
    };
  }
}
