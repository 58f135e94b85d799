import assert from 'node:assert/strict';
import { GatewayError } from '../../src/kernel/errors.ts';
import type { Answer, ChatRequest } from '../../src/kernel/message.ts';
import type { Handler } from '../../src/kernel/module.ts';
import type { Budgets } from '../../src/kernel/ports/budget.ts';
import { Reply } from '../../src/kernel/reply/reply.ts';
import { costGuard } from '../../src/modules/cost-guard/cost-guard.ts';
import { MemoryBudgets } from '../../src/storage/memory/memory-budgets.ts';
import { type RunOptions, runModule } from '../../src/testing/run-module.ts';
import { testPrices } from '../../src/testing/test-prices.ts';
import { ManualClock } from './manual-clock.ts';

/** A thousand billionths of a dollar for a token in, ten thousand for one out. */
export const prices = testPrices({ input: 1, output: 10 }, { outputTokensMax: 1000, contextTokens: 50_000 });
export const request: ChatRequest = {
  model: 'm',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hi' }],
};

/** Half of the bytes and 200 on top; 100 tokens of output. */
const sentNano = 237 * 1000;
/** What it is taken to have read where nobody told: the lengths of its texts say about how much. */
export const estimatedInputNano = 12 * 1000;
export const worstCaseNano = sentNano + 100 * 10_000;
export const answer: Answer = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'Hello, how are you?' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 8, output_tokens: 6 },
};
export const answerNano = 8 * 1000 + 6 * 10_000;

export function runCostGuard(defaults: RunOptions = {}, given?: Budgets) {
  const clock = new ManualClock();
  const budgets = given ?? new MemoryBudgets(clock);
  const upstream: Handler = async () => Reply.of(answer);
  const run = runModule(costGuard, { upstream, ...defaults }, { clock, prices, budgets });
  return { run, clock, purses: budgets };
}

export const holder = { accountId: 'local', keyId: '' };
const day = { startMs: Date.UTC(2026, 10, 15), endMs: Date.UTC(2026, 10, 16) };
export const windows = { day, month: { startMs: Date.UTC(2026, 10), endMs: Date.UTC(2026, 11) } };

/** What is spent and held, as a hold for which there is no room is told. */
export async function spentAndHeld(budgets: Budgets, of = holder): Promise<readonly [number, number]> {
  const told = await budgets.hold({ holder: of, windows, amount: 1, least: 1, ceilings: { day: -1 } });
  assert.ok(told.outcome === 'refused', told.outcome);
  return [told.spent, told.held];
}

export function usd(nano: number): string {
  return (nano / 1e9).toFixed(9);
}

export function refusal(error: unknown, code: string): GatewayError {
  assert.ok(GatewayError.is(error), String(error));
  assert.equal(error.code, code);
  return error;
}

/** Settlements are not waited for; on one connection what is asked later is answered later. */
export async function spentAndHeldAfterSettlement(budgets: Budgets): Promise<readonly [number, number]> {
  let last = await spentAndHeld(budgets);
  for (let looks = 0; last[1] > 0 && looks < 1000; looks++) last = await spentAndHeld(budgets);
  return last;
}
