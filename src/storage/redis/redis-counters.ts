import { hash } from 'node:crypto';
import type {
  Addition,
  Correction,
  CounterName,
  Counters,
  CountState,
  SlotRequest,
  SlotState,
} from '../../kernel/ports/counters.ts';
import { keys } from './keys.ts';
import { scopeHash } from './redis-cache-backend.ts';
import type { RedisConnection } from './redis-connection.ts';
import { addCountScript, correctCountScript, takeModuleSlotScript } from './scripts.ts';

/** Counts of modules. Names are hashed, because modules may take them from texts of clients. */
export class RedisCounters implements Counters {
  readonly #connection: RedisConnection;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  async add(name: CounterName, { amount, limit, windowMs }: Addition): Promise<CountState> {
    const values = [amount, limit, Math.ceil(windowMs)].map(String);
    const answer = await this.#connection.runScript(addCountScript, [countKey(name)], () => values);
    const [isAllowed, count, window, leftMs] = Array.isArray(answer) ? answer : [];
    return {
      isAllowed: Number(isAllowed) === 1,
      count: Number(count),
      window: String(window),
      leftMs: Number(leftMs),
    };
  }

  async correct(name: CounterName, { window, change }: Correction): Promise<void> {
    await this.#connection.runScript(correctCountScript, [countKey(name)], () => [window, String(change)]);
  }

  async takeSlot(name: CounterName, { holder, limit, lifeMs }: SlotRequest): Promise<SlotState> {
    const values = [holder, String(limit), String(lifeMs)];
    const answer = await this.#connection.runScript(takeModuleSlotScript, [slotsKey(name)], () => values);
    const [isAllowed, count] = Array.isArray(answer) ? answer : [];
    return { isAllowed: Number(isAllowed) === 1, count: Number(count) };
  }

  async releaseSlot(name: CounterName, holder: string): Promise<void> {
    await this.#connection.send(['HDEL', slotsKey(name), holder]);
  }
}

function countKey({ scope, name }: CounterName): string {
  return keys.moduleCount(scopeHash(scope), hash('sha256', name, 'base64url'));
}

function slotsKey({ scope, name }: CounterName): string {
  return keys.moduleSlots(scopeHash(scope), hash('sha256', name, 'base64url'));
}
