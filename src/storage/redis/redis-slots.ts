import { limits as kernelLimits } from '../../kernel/limits.ts';
import type { Allowance, InFlightCalls, SlotDecision, Slots } from '../../kernel/ports/shared-state.ts';
import { storageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import type { Clock } from '../../lib/clock.ts';
import { limits } from '../limits.ts';
import { keys } from './keys.ts';
import type { RedisConnection } from './redis-connection.ts';
import type { RedisNode } from './redis-node.ts';
import type { RedisVersions } from './redis-versions.ts';
import { giveBackScript, reportInFlightScript, takeScript } from './scripts.ts';

const inFlightLifeMs = String(limits.inFlightLifeMs);

interface SlotsParts {
  readonly connection: RedisConnection;
  readonly clock: Clock;
  readonly versions: RedisVersions;
}

export class RedisSlots implements Slots {
  readonly #parts: SlotsParts;

  constructor(parts: SlotsParts) {
    this.#parts = parts;
  }

  async take(allowance: Allowance, inFlightCalls?: InFlightCalls): Promise<SlotDecision> {
    const slotDecision =
      (await this.#tryToTake(allowance, inFlightCalls)) ?? (await this.#tryToTake(allowance, inFlightCalls));
    if (slotDecision === undefined) throw storageUnavailable('Redis did not answer in time');
    return slotDecision;
  }

  async reportInFlight(
    { accountId, periodStartMs }: Allowance,
    { processId, calls }: InFlightCalls,
  ): Promise<void> {
    const name = keys.inFlight(accountId, periodStartMs);
    await this.#parts.connection.runScript(reportInFlightScript, [name], () => [
      processId,
      String(calls),
      inFlightLifeMs,
    ]);
  }

  giveBack(allowance: Allowance): Promise<void> {
    return this.#release(allowance, limits.givenBackWindowMs);
  }

  undo(allowance: Allowance): Promise<void> {
    return this.#release(allowance, 0);
  }

  async begin({ accountId, periodStartMs, periodEndMs }: Allowance, used: number): Promise<void> {
    const { connection, clock } = this.#parts;
    const lifeMs = Math.max(periodEndMs - clock.now(), 0) + kernelLimits.countGraceMs;
    const name = keys.count(accountId, periodStartMs);
    await connection.send(['SET', name, String(used), 'PX', String(Math.ceil(lifeMs)), 'NX']);
  }

  async #release({ accountId, periodStartMs }: Allowance, rememberedMs: number): Promise<void> {
    const names = [keys.count(accountId, periodStartMs), keys.givenBack(accountId)];
    await this.#parts.connection.runScript(giveBackScript, names, () => [String(rememberedMs)]);
  }

  /** Returns undefined if the deadline passed or the clocks had drifted apart; corrects the clock offset for a retry. */
  async #tryToTake(
    allowance: Allowance,
    inFlightCalls: InFlightCalls | undefined,
  ): Promise<SlotDecision | undefined> {
    const { connection, versions } = this.#parts;
    const { accountId, periodStartMs, limit, givenBackMax } = allowance;
    let server: RedisNode | undefined;
    const reply = await connection.runScript(
      takeScript,
      [
        keys.version(accountId),
        keys.count(accountId, periodStartMs),
        keys.givenBack(accountId),
        keys.inFlight(accountId, periodStartMs),
        keys.server(accountId),
      ],
      (node) => {
        server = node;
        return [
          String(node.deadlineMs),
          versions.createVersion(),
          String(limits.versionLifeMs),
          String(limit),
          String(givenBackMax),
          inFlightCalls?.processId ?? '',
          String(inFlightCalls?.calls ?? 0),
          inFlightLifeMs,
          node.runId,
        ];
      },
    );
    if (!Array.isArray(reply)) throw unexpectedReply();
    const [outcome, version, figure, held = 0] = reply;
    if (typeof version !== 'string' || typeof figure !== 'number' || typeof held !== 'number')
      throw unexpectedReply();
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
        if (server !== undefined) server.redisNowMs = figure;
        return undefined;
      default:
        throw unexpectedReply();
    }
  }
}

function unexpectedReply(): Error {
  return new Error('unexpected reply from a Redis script');
}
