import { hash } from 'node:crypto';
import type { TargetHealth } from '../kernel/ports/health.ts';
import type { Target } from '../kernel/provider.ts';
import type { Secret } from '../lib/secret.ts';
import type { HealthMonitor } from './health/health-monitor.ts';

/**
 * Several keys of one provider. A conversation stays on one key while that works, since prompt caches belong to the
 * owner of a key; if it is set aside or rests, the conversation moves to another one, always the same.
 */
export class KeyPool {
  readonly #keys: readonly [Secret, ...Secret[]];
  readonly #health: Pick<HealthMonitor, 'of'>;

  constructor(keys: readonly [Secret, ...Secret[]], health: Pick<HealthMonitor, 'of'>) {
    this.#keys = keys;
    this.#health = health;
  }

  /** The key for calls with this stickiness; if none works, the one that they would use otherwise. */
  async choose(target: Target, stickiness: string): Promise<Secret> {
    const [first, ...others] = this.#ranked(stickiness);
    const all = [first, ...others];
    const healths = await this.#health.of(all.map((credential) => ({ target, credential })));
    return all.find((_, at) => isUsable(healths[at])) ?? first;
  }

  /** Rendezvous hashing: another number of keys moves few conversations. */
  #ranked(stickiness: string): readonly [Secret, ...Secret[]] {
    const [first = this.#keys[0], ...others] = this.#keys
      .map((key) => ({ key, rank: hash('sha256', `${stickiness}\n${key.reveal()}`) }))
      .toSorted((one, other) => (one.rank < other.rank ? 1 : -1))
      .map(({ key }) => key);
    return [first, ...others];
  }
}

function isUsable(health: TargetHealth | undefined): boolean {
  return health?.isRejected === false && health.restsUntilMs === undefined;
}

/** The pools of the providers that have several keys. */
export function createKeyPools(
  keys: ReadonlyMap<string, readonly Secret[]>,
  health: Pick<HealthMonitor, 'of'>,
): ReadonlyMap<string, KeyPool> {
  const pools = new Map<string, KeyPool>();
  for (const [provider, [first, ...others]] of keys)
    if (first !== undefined) pools.set(provider, new KeyPool([first, ...others], health));
  return pools;
}
