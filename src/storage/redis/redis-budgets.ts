import { randomBytes } from 'node:crypto';
import { limits as kernelLimits } from '../../kernel/limits.ts';
import type {
  BudgetHolder,
  BudgetHoldRequest,
  BudgetState,
  Budgets,
  BudgetWindows,
  HeldAmount,
  HoldOutcome,
  HoldSettlement,
  SpentByWindow,
} from '../../kernel/ports/budget.ts';
import { storageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import { limits } from '../limits.ts';
import {
  beginScript,
  forgetScript,
  holdScript,
  readScript,
  renewScript,
  settleScript,
} from './budget-scripts.ts';
import { keys } from './keys.ts';
import type { RedisConnection } from './redis-connection.ts';
import type { RedisNode } from './redis-node.ts';

const holdLifeMs = String(kernelLimits.holdLifeMs);
const budgetLifeMs = String(kernelLimits.holdLifeMs + limits.budgetIdleMs);

/** Budgets shared by any number of replicas. Holds expire by Redis's clock. */
export class RedisBudgets implements Budgets {
  readonly #connection: RedisConnection;
  readonly #processId = randomBytes(9).toString('base64url');
  #holdsCreated = 0;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  async hold(request: BudgetHoldRequest): Promise<HoldOutcome> {
    const outcome = (await this.#tryToHold(request)) ?? (await this.#tryToHold(request));
    if (outcome === undefined) throw storageUnavailable('Redis did not answer in time');
    return outcome;
  }

  async settle(
    { holder: budgetHolder, id }: HeldAmount,
    { cost, windows: budgetWindows, isRetry }: HoldSettlement,
  ): Promise<SpentByWindow | undefined> {
    const { day, month } = budgetWindows;
    const reply = await this.#connection.runScript(settleScript, budgetKeys(budgetHolder), () => [
      id,
      String(cost),
      String(day.startMs),
      String(month.startMs),
      isRetry ? 'again' : '',
      budgetLifeMs,
    ]);
    if (!Array.isArray(reply)) return undefined;
    const [spentInDay, spentInMonth] = parseIntegers(reply, 0);
    return { day: spentInDay, month: spentInMonth };
  }

  async renew({ holder: budgetHolder, id }: HeldAmount): Promise<void> {
    await this.#connection.runScript(renewScript, budgetKeys(budgetHolder), () => [
      id,
      holdLifeMs,
      budgetLifeMs,
    ]);
  }

  async read(budgetHolder: BudgetHolder, { day, month }: BudgetWindows): Promise<BudgetState | undefined> {
    const reply = await this.#connection.runScript(readScript, budgetKeys(budgetHolder), ({ runId }) => [
      String(day.startMs),
      String(month.startMs),
      runId,
    ]);
    if (!Array.isArray(reply)) throw unexpectedReply();
    if (reply.length === 0) return undefined;
    const [spentInDay, spentInMonth, held] = parseIntegers(reply, 0);
    return { spent: { day: spentInDay, month: spentInMonth }, held };
  }

  async begin(
    budgetHolder: BudgetHolder,
    { day, month }: BudgetWindows,
    spentByWindow: SpentByWindow,
  ): Promise<void> {
    const values = [day.startMs, month.startMs, spentByWindow.day, spentByWindow.month].map(String);
    await this.#connection.runScript(beginScript, budgetKeys(budgetHolder), ({ runId }) => [
      ...values,
      budgetLifeMs,
      runId,
    ]);
  }

  async forget(budgetHolder: BudgetHolder): Promise<void> {
    await this.#connection.runScript(forgetScript, budgetKeys(budgetHolder), () => []);
  }

  /** Returns undefined if the deadline passed or the clocks had drifted apart; corrects the clock offset for a retry. */
  async #tryToHold({
    holder: budgetHolder,
    windows: budgetWindows,
    ceilings,
    amount,
    least,
  }: BudgetHoldRequest): Promise<HoldOutcome | undefined> {
    const name = `${this.#processId}.${this.#holdsCreated++}`;
    let server: RedisNode | undefined;
    const reply = await this.#connection.runScript(holdScript, budgetKeys(budgetHolder), (node) => {
      server = node;
      return [
        String(node.deadlineMs),
        String(budgetWindows.day.startMs),
        String(budgetWindows.month.startMs),
        String(ceilings.day ?? ''),
        String(ceilings.month ?? ''),
        String(amount),
        String(least),
        name,
        holdLifeMs,
        budgetLifeMs,
        node.runId,
      ];
    });
    if (!Array.isArray(reply)) throw unexpectedReply();
    const [outcome, first] = reply;
    switch (outcome) {
      case 'granted': {
        const [granted, day, month] = parseIntegers(reply, 1);
        const held = { holder: budgetHolder, amount: granted, id: `${name} ${granted}` };
        return { outcome, held, spent: { day, month } };
      }
      case 'refused': {
        if (first !== 'day' && first !== 'month') throw unexpectedReply();
        const [spent, held] = parseIntegers(reply, 2);
        return { outcome, window: first, spent, held };
      }
      case 'uncounted':
        return { outcome };
      case 'late':
        if (server !== undefined) [server.redisNowMs] = parseIntegers(reply, 1);
        return undefined;
      default:
        throw unexpectedReply();
    }
  }
}

function budgetKeys({ accountId, keyId }: BudgetHolder): readonly string[] {
  return [keys.budget(accountId, keyId), keys.holds(accountId, keyId)];
}

/** Parses up to three integers, starting at `first`. */
function parseIntegers(reply: readonly unknown[], first: number): [number, number, number] {
  const [a = 0, b = 0, c = 0] = reply.slice(first).map(Number);
  if (![a, b, c].every(Number.isSafeInteger)) throw unexpectedReply();
  return [a, b, c];
}

function unexpectedReply(): Error {
  return new Error('unexpected reply from a Redis script');
}
