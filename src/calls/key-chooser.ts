import { hash } from 'node:crypto';
import type { WeightedKey } from '../accounts/provider-key-vault.ts';
import type { Provider, Target } from '../kernel/provider.ts';
import type { Secret } from '../lib/secret.ts';
import { mix32 } from '../lib/seed-of.ts';
import type { HealthMonitor } from './health/health-monitor.ts';

/**
 * Chooses one of several keys for a provider. A conversation stays on one key while that works, since prompt caches belong
 * to the owner of a key; if it is set aside or rests, the conversation moves to another one, always the same.
 */
export class KeyChooser {
  readonly #health: Pick<HealthMonitor, 'of'>;
  readonly #onRejected: (provider: Provider, key: Secret) => void;
  /** Calls rank the same keys again and again, and a hash takes microseconds. */
  readonly #hashes = new WeakMap<Secret, number>();

  /** `onRejected` gets the keys that a call would have used if their provider hadn't rejected them. */
  constructor(
    health: Pick<HealthMonitor, 'of'>,
    onRejected: (provider: Provider, key: Secret) => void = () => undefined,
  ) {
    this.#health = health;
    this.#onRejected = onRejected;
  }

  /** The key for calls with this stickiness; if none works, the one that is free soonest. */
  async choose(
    keys: readonly WeightedKey[],
    target: Target,
    stickiness: string,
  ): Promise<Secret | undefined> {
    const ranked = this.#rank(keys, stickiness);
    // Mostly the first key works, and the health of the others need not be read.
    const [first] = await this.#freeTimes(ranked.slice(0, 1), target);
    if (first === 0) return ranked[0];
    const times = await this.#freeTimes(ranked, target);
    const chosen = times.indexOf(Math.min(...times));
    for (const [at, key] of ranked.slice(0, chosen).entries())
      if (times[at] === Number.POSITIVE_INFINITY) this.#onRejected(target.provider, key);
    return ranked[chosen];
  }

  /**
   * When each key can be used: 0 for one that works now, infinity for a rejected one. The time of a resting one is in
   * milliseconds since 1970.
   */
  async #freeTimes(keys: readonly Secret[], target: Target): Promise<readonly number[]> {
    const healths = await this.#health.of(keys.map((credential) => ({ target, credential })));
    return healths.map(({ isRejected, restsUntilMs = 0 }) =>
      isRejected ? Number.POSITIVE_INFINITY : restsUntilMs,
    );
  }

  /**
   * Weighted rendezvous hashing: each key is the first of a share of conversations that its weight determines, and another
   * set of keys moves as few conversations as possible.
   */
  #rank(keys: readonly WeightedKey[], stickiness: string): readonly Secret[] {
    const conversation = hash32(stickiness);
    return keys
      .map(({ secret, weight }) => {
        const uniform = (mix32(conversation ^ this.#hashOf(secret)) + 0.5) / 2 ** 32;
        return { secret, score: -weight / Math.log(uniform) };
      })
      .toSorted((one, other) => other.score - one.score)
      .map(({ secret }) => secret);
  }

  #hashOf(secret: Secret): number {
    const found = this.#hashes.get(secret) ?? hash32(secret.reveal());
    this.#hashes.set(secret, found);
    return found;
  }
}

/** The same in all processes. */
function hash32(text: string): number {
  return Number.parseInt(hash('sha256', text).slice(0, 8), 16);
}
