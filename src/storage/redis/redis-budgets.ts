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
  SpentBefore,
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
    const reply = await this.#connection.runScript(settleScript, budgetKeys(budgetHolder), () => [
      ...windowValues(budgetWindows),
      id,
      String(cost),
      isRetry ? 'again' : '',
      budgetLifeMs,
    ]);
    return Array.isArray(reply) ? parseSpent(reply, 0, budgetWindows) : undefined;
  }

  async renew({ holder: budgetHolder, id }: HeldAmount): Promise<void> {
    await this.#connection.runScript(renewScript, budgetKeys(budgetHolder), () => [
      id,
      holdLifeMs,
      budgetLifeMs,
    ]);
  }

  async read(budgetHolder: BudgetHolder, budgetWindows: BudgetWindows): Promise<BudgetState | undefined> {
    const reply = await this.#connection.runScript(readScript, budgetKeys(budgetHolder), ({ runId }) => [
      ...windowValues(budgetWindows),
      runId,
    ]);
    if (!Array.isArray(reply)) throw unexpectedReply();
    if (reply.length === 0) return undefined;
    const [held = 0] = parseIntegers(reply);
    return { spent: parseSpent(reply, 1, budgetWindows), held };
  }

  async begin(
    budgetHolder: BudgetHolder,
    { day, month }: BudgetWindows,
    { parts = [], ...spent }: SpentBefore,
  ): Promise<void> {
    const values = [day.startMs, month.startMs, spent.day, spent.month].map(String);
    const costs = parts.flatMap(({ startMs, amount }) => [String(startMs), String(amount)]);
    await this.#connection.runScript(beginScript, budgetKeys(budgetHolder), ({ runId }) => [
      ...values,
      budgetLifeMs,
      runId,
      ...costs,
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
        ...windowValues(budgetWindows),
        String(node.deadlineMs),
        String(ceilings.day ?? ''),
        String(ceilings.month ?? ''),
        String(ceilings.rolling ?? ''),
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
        const [granted = 0] = parseIntegers(reply.slice(1));
        const held = { holder: budgetHolder, amount: granted, id: `${name} ${granted}` };
        return { outcome, held, spent: parseSpent(reply, 2, budgetWindows) };
      }
      case 'refused': {
        if (first !== 'day' && first !== 'month' && first !== 'rolling') throw unexpectedReply();
        const [spent = 0, held = 0, sinceMs = -1] = parseIntegers(reply.slice(2));
        return { outcome, window: first, spent, held, ...(sinceMs >= 0 && { sinceMs }) };
      }
      case 'uncounted':
        return { outcome };
      case 'late': {
        const [nowMs] = parseIntegers(reply.slice(1));
        if (server !== undefined && nowMs !== undefined) server.redisNowMs = nowMs;
        return undefined;
      }
      default:
        throw unexpectedReply();
    }
  }
}

function budgetKeys({ accountId, keyId }: BudgetHolder): readonly string[] {
  return [keys.budget(accountId, keyId), keys.holds(accountId, keyId)];
}

/** The values with which every script begins. */
function windowValues({ day, month, rolling }: BudgetWindows): readonly string[] {
  return [
    String(day.startMs),
    String(month.startMs),
    String(rolling?.startMs ?? ''),
    String(rolling?.partStartMs ?? ''),
  ];
}

/** What was spent in each window, in a reply from `first` on. */
function parseSpent(reply: readonly unknown[], first: number, { rolling }: BudgetWindows): SpentByWindow {
  const [day = 0, month = 0, inRolling = 0, sinceMs = -1] = parseIntegers(reply.slice(first));
  if (rolling === undefined) return { day, month };
  return { day, month, rolling: inRolling, ...(sinceMs >= 0 && { rollingSinceMs: sinceMs }) };
}

function parseIntegers(reply: readonly unknown[]): readonly number[] {
  const integers = reply.map(Number);
  if (!integers.every(Number.isSafeInteger)) throw unexpectedReply();
  return integers;
}

function unexpectedReply(): Error {
  return new Error('unexpected reply from a Redis script');
}
