import { z } from 'zod';
import type { KeyIdentity } from '../accounts/api-key-authenticator.ts';
import { strictestLimits } from '../kernel/limit-status.ts';
import { limits } from '../kernel/limits.ts';
import type { CallLimits } from '../kernel/ports/call-rates.ts';
import type { TierId } from '../kernel/ports/records.ts';
import { jsonText } from '../lib/setting-schemas.ts';
import { Wildcard } from '../lib/wildcard.ts';

const rateLimit = z.int('must be a whole number').min(1, 'must be at least 1').max(limits.rateLimitMax);
const namedLimits = z.strictObject({
  requests_per_minute: rateLimit.optional(),
  tokens_per_minute: rateLimit.optional(),
  concurrent: rateLimit.optional(),
});

export const tierLimitsSchema = z.strictObject({
  free: namedLimits.optional(),
  pro: namedLimits.optional(),
  team: namedLimits.optional(),
});
/** By names of API keys, in which `*` stands for any characters. */
export const keyLimitsSchema = z.record(z.string().min(1).max(100), namedLimits);

export const tierLimits = jsonText(tierLimitsSchema).transform(
  (tiers): ReadonlyMap<string, CallLimits> =>
    new Map(Object.entries(tiers).map(([tier, named]) => [tier, toLimits(named ?? {})])),
);
export const keyLimits = jsonText(keyLimitsSchema).transform((patterns): readonly KeyRule[] =>
  Object.entries(patterns).map(([pattern, named]) => ({
    wildcard: new Wildcard(pattern),
    limits: toLimits(named),
  })),
);

interface KeyRule {
  readonly wildcard: Wildcard;
  readonly limits: CallLimits;
}

interface InstanceLimitParts {
  readonly all?: CallLimits | undefined;
  readonly byTier?: ReadonlyMap<string, CallLimits> | undefined;
  readonly byKey?: readonly KeyRule[] | undefined;
}

/** The rate limits that the operator has set for each API key: for all, for those of a tier, and for those with a name. */
export class InstanceLimits {
  readonly #parts: InstanceLimitParts;
  readonly #known = new WeakMap<KeyIdentity, { readonly limits: CallLimits | undefined }>();

  constructor(parts: InstanceLimitParts) {
    this.#parts = parts;
  }

  /** The lowest of all that hold for a key, its own among them. */
  of(key: KeyIdentity | undefined): CallLimits | undefined {
    if (key === undefined) return this.#parts.all;
    let known = this.#known.get(key);
    if (known === undefined) {
      known = { limits: this.#find(key) };
      this.#known.set(key, known);
    }
    return known.limits;
  }

  #find({ account, name, limits: own }: KeyIdentity): CallLimits | undefined {
    const { all, byTier, byKey = [] } = this.#parts;
    const tier: TierId = account.tier;
    const named = byKey.filter(({ wildcard }) => wildcard.matches(name)).map((rule) => rule.limits);
    return [all, byTier?.get(tier), ...named].reduce(strictestLimits, own);
  }
}

function toLimits({
  requests_per_minute: requestsPerMinute,
  tokens_per_minute: tokensPerMinute,
  concurrent,
}: z.infer<typeof namedLimits>): CallLimits {
  return { requestsPerMinute, tokensPerMinute, concurrent };
}
