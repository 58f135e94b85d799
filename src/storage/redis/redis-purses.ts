import { randomBytes } from 'node:crypto';
import { limits } from '../../kernel/limits.ts';
import type {
  AskedHold,
  HeldSum,
  Holder,
  HoldOutcome,
  Purses,
  Settlement,
  Spent,
  Windows,
} from '../../kernel/ports/purse.ts';
import { unavailable } from '../../kernel/ports/unavailable.ts';
import { keys } from './keys.ts';
import { beginScript, holdScript, renewScript, settleScript } from './purse-scripts.ts';
import type { RedisLink } from './redis-link.ts';

const holdLife = String(limits.holdLifeMs);
const purseLife = String(limits.holdLifeMs + limits.purseIdleMs);

/** The purses of any number of replicas. When a hold is over is decided by the clock of Redis. */
export class RedisPurses implements Purses {
  readonly #link: RedisLink;
  readonly #process = randomBytes(9).toString('base64url');
  #made = 0;

  constructor(link: RedisLink) {
    this.#link = link;
  }

  async hold(asked: AskedHold): Promise<HoldOutcome> {
    const outcome = (await this.#tryToHold(asked)) ?? (await this.#tryToHold(asked));
    if (outcome === undefined) throw unavailable('Redis was too slow');
    return outcome;
  }

  async settle({ holder, id }: HeldSum, { cost, windows, again }: Settlement): Promise<void> {
    const { day, month } = windows;
    await this.#link.run(settleScript, namesOf(holder), [
      id,
      String(cost),
      String(day.startMs),
      String(month.startMs),
      again ? 'again' : '',
      purseLife,
    ]);
  }

  async renew({ holder, id }: HeldSum): Promise<void> {
    await this.#link.run(renewScript, namesOf(holder), [id, holdLife, purseLife]);
  }

  async begin(holder: Holder, { day, month }: Windows, spent: Spent): Promise<void> {
    const values = [day.startMs, month.startMs, spent.day, spent.month].map(String);
    await this.#link.run(beginScript, namesOf(holder), [...values, purseLife]);
  }

  /** Undefined where the clocks have drifted apart, which is put right by then. */
  async #tryToHold({
    holder,
    windows,
    ceilings,
    amount,
    least,
  }: AskedHold): Promise<HoldOutcome | undefined> {
    const name = `${this.#process}.${this.#made++}`;
    const reply = await this.#link.run(holdScript, namesOf(holder), [
      String(this.#link.deadlineMs),
      String(windows.day.startMs),
      String(windows.month.startMs),
      String(ceilings.day ?? ''),
      String(ceilings.month ?? ''),
      String(amount),
      String(least),
      name,
      holdLife,
      purseLife,
    ]);
    if (!Array.isArray(reply)) throw unexpected();
    const [outcome, first] = reply;
    switch (outcome) {
      case 'granted': {
        const [granted, day, month] = numbersIn(reply, 1);
        const held = { holder, amount: granted, id: `${name} ${granted}` };
        return { outcome, held, spent: { day, month } };
      }
      case 'refused': {
        if (first !== 'day' && first !== 'month') throw unexpected();
        const [spent, held] = numbersIn(reply, 2);
        return { outcome, window: first, spent, held };
      }
      case 'uncounted':
        return { outcome };
      case 'late':
        [this.#link.redisNowMs] = numbersIn(reply, 1);
        return undefined;
      default:
        throw unexpected();
    }
  }
}

function namesOf({ accountId, keyId }: Holder): readonly string[] {
  return [keys.purse(accountId, keyId), keys.holds(accountId, keyId)];
}

/** Three at most, from `first` on. */
function numbersIn(reply: readonly unknown[], first: number): [number, number, number] {
  const [a = 0, b = 0, c = 0] = reply.slice(first).map(Number);
  if (![a, b, c].every(Number.isSafeInteger)) throw unexpected();
  return [a, b, c];
}

function unexpected(): Error {
  return new Error('a script of ours answered in another shape than it has');
}
