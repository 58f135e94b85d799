import type { CallRates } from '../../kernel/ports/call-rates.ts';
import type { Counters } from '../../kernel/ports/counters.ts';
import type { HealthBoard } from '../../kernel/ports/health.ts';
import type { RateLimiter, SharedState, Slots, Versions } from '../../kernel/ports/shared-state.ts';
import type { Clock } from '../../lib/clock.ts';
import { RedisCallRates } from './redis-call-rates.ts';
import type { RedisConnection } from './redis-connection.ts';
import { RedisCounters } from './redis-counters.ts';
import { RedisHealthBoard } from './redis-health-board.ts';
import { RedisRateLimiter } from './redis-rate-limiter.ts';
import { RedisSlots } from './redis-slots.ts';
import { RedisVersions } from './redis-versions.ts';

/** Shared state in Redis or Valkey, for any number of replicas. */
export class RedisSharedState implements SharedState {
  readonly slots: Slots;
  readonly versions: Versions;
  readonly rateLimiter: RateLimiter;
  readonly health: HealthBoard;
  readonly counters: Counters;
  readonly callRates: CallRates;
  readonly #connection: RedisConnection;

  constructor(connection: RedisConnection, clock: Clock) {
    this.#connection = connection;
    const versions = new RedisVersions(connection);
    this.versions = versions;
    this.slots = new RedisSlots({ connection, clock, versions });
    this.rateLimiter = new RedisRateLimiter(connection);
    this.health = new RedisHealthBoard(connection);
    this.counters = new RedisCounters(connection);
    this.callRates = new RedisCallRates(connection);
  }

  ping(): Promise<void> {
    return this.#connection.ping();
  }

  async close(): Promise<void> {
    this.#connection.close();
  }
}
