import type { Clock } from '../../kernel/clock.ts';
import type { Attempts, SharedState, Slots, Versions } from '../../kernel/ports/shared-state.ts';
import { RedisAttempts } from './redis-attempts.ts';
import type { RedisLink } from './redis-link.ts';
import { RedisSlots } from './redis-slots.ts';
import { RedisVersions } from './redis-versions.ts';

/** Shared state in Redis or Valkey, for any number of replicas. */
export class RedisSharedState implements SharedState {
  readonly slots: Slots;
  readonly versions: Versions;
  readonly attempts: Attempts;
  readonly #link: RedisLink;

  constructor(link: RedisLink, clock: Clock) {
    this.#link = link;
    const versions = new RedisVersions(link);
    this.versions = versions;
    this.slots = new RedisSlots({ link, clock, versions });
    this.attempts = new RedisAttempts(link);
  }

  async ping(): Promise<void> {
    await this.#link.ask(['PING']);
  }

  async close(): Promise<void> {
    this.#link.close();
  }
}
