import type { Clock } from '../../kernel/clock.ts';
import { limits } from '../../kernel/limits.ts';
import type { Allowance, Slots, Taken, UnderWay } from '../../kernel/ports/shared-state.ts';
import { unavailable } from '../../kernel/ports/unavailable.ts';
import { keys } from './keys.ts';
import type { RedisLink } from './redis-link.ts';
import type { RedisVersions } from './redis-versions.ts';
import { giveBackScript, takeScript, tellScript } from './scripts.ts';

const underWayLife = String(limits.underWayLifeMs);

interface SlotsParts {
  readonly link: RedisLink;
  readonly clock: Clock;
  readonly versions: RedisVersions;
}

export class RedisSlots implements Slots {
  readonly #parts: SlotsParts;

  constructor(parts: SlotsParts) {
    this.#parts = parts;
  }

  async take(allowance: Allowance, underWay?: UnderWay): Promise<Taken> {
    const taken =
      (await this.#tryToTake(allowance, underWay)) ?? (await this.#tryToTake(allowance, underWay));
    if (taken === undefined) throw unavailable('Redis was too slow');
    return taken;
  }

  async tell({ accountId, periodStartMs }: Allowance, { processId, calls }: UnderWay): Promise<void> {
    const name = keys.underWay(accountId, periodStartMs);
    await this.#parts.link.run(tellScript, [name], [processId, String(calls), underWayLife]);
  }

  giveBack(allowance: Allowance): Promise<void> {
    return this.#release(allowance, limits.givenBackWindowMs);
  }

  undo(allowance: Allowance): Promise<void> {
    return this.#release(allowance, 0);
  }

  async begin({ accountId, periodStartMs, periodEndMs }: Allowance, used: number): Promise<void> {
    const { link, clock } = this.#parts;
    const lifeMs = Math.max(periodEndMs - clock.now(), 0) + limits.countGraceMs;
    const name = keys.count(accountId, periodStartMs);
    await link.ask(['SET', name, String(used), 'PX', String(Math.ceil(lifeMs)), 'NX']);
  }

  async #release({ accountId, periodStartMs }: Allowance, rememberedMs: number): Promise<void> {
    const names = [keys.count(accountId, periodStartMs), keys.givenBack(accountId)];
    await this.#parts.link.run(giveBackScript, names, [String(rememberedMs)]);
  }

  /** Undefined where the clocks have drifted apart, which is put right by then. */
  async #tryToTake(allowance: Allowance, underWay: UnderWay | undefined): Promise<Taken | undefined> {
    const { link, versions } = this.#parts;
    const { accountId, periodStartMs, limit, givenBackMax } = allowance;
    const reply = await link.run(
      takeScript,
      [
        keys.version(accountId),
        keys.count(accountId, periodStartMs),
        keys.givenBack(accountId),
        keys.underWay(accountId, periodStartMs),
      ],
      [
        String(link.deadlineMs),
        versions.fresh(),
        String(limits.versionLifeMs),
        String(limit),
        String(givenBackMax),
        underWay?.processId ?? '',
        String(underWay?.calls ?? 0),
        underWayLife,
      ],
    );
    if (!Array.isArray(reply)) throw unexpected();
    const [outcome, version, figure, held = 0] = reply;
    if (typeof version !== 'string' || typeof figure !== 'number' || typeof held !== 'number')
      throw unexpected();
    switch (outcome) {
      case 'granted':
        return { outcome, used: figure, version };
      case 'full':
        return { outcome, used: figure, held, version };
      case 'failing':
        return { outcome, retryAfterSeconds: Math.max(1, Math.ceil(figure / 1000)), version };
      case 'uncounted':
        return { outcome, version };
      case 'late':
        link.redisNowMs = figure;
        return undefined;
      default:
        throw unexpected();
    }
  }
}

function unexpected(): Error {
  return new Error('a script of ours answered in another shape than it has');
}
