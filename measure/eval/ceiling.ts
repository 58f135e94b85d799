// What stays unused of a ceiling when calls cost less than they hold: npm run eval:ceiling
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '../../src/kernel/errors.ts';
import type { ChatRequest } from '../../src/kernel/message.ts';
import type { Handler } from '../../src/kernel/module.ts';
import { Reply } from '../../src/kernel/reply/reply.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { costGuard } from '../../src/modules/cost-guard/cost-guard.ts';
import { MemoryBudgets } from '../../src/storage/memory/memory-budgets.ts';
import { runModule } from '../../src/testing/run-module.ts';
import { testPrices } from '../../src/testing/test-prices.ts';

/** Calls that the ceiling affords. */
const affordable = 100;
const meanMs = 15;
const rounds = 5;
const prices = testPrices({ input: 1, output: 10 });
const request: ChatRequest = { model: 'm', max_tokens: 300, messages: [{ role: 'user', content: 'Hi' }] };
/** With 237 tokens held for the input, which has 79. */
const outputTokens = 100;
const costNano = 79 * 1000 + outputTokens * 10_000;

const row = (cells: readonly string[]) => console.log(cells.map((cell) => cell.padStart(16)).join(''));
console.log(
  `Calls hold three times what they cost; the ceiling affords ${affordable} of them. Unused, mean of ${rounds}:`,
);
row(['clients', 'wait', 'unused', 'refused calls']);
for (const clients of [1, 4, 8, 16, 32])
  for (const wait of ['0s', '10s']) {
    const results: { unused: number; refused: number }[] = [];
    for (let round = 0; round < rounds; round++) results.push(await exhaust(clients, wait));
    const mean = (part: (result: (typeof results)[number]) => number) =>
      results.reduce((sum, result) => sum + part(result), 0) / rounds;
    row([
      String(clients),
      wait,
      `${(100 * mean(({ unused }) => unused)).toFixed(1)} %`,
      mean(({ refused }) => refused).toFixed(0),
    ]);
  }

/** Clients call one after the other until one of them is refused: the job has then failed, and all stop. */
async function exhaust(clients: number, wait: string) {
  const ceiling = affordable * costNano;
  let [spent, refused] = [0, 0];
  const upstream: Handler = async () => {
    await sleep(-Math.log(1 - Math.random()) * meanMs);
    spent += costNano;
    const usage = { input_tokens: 79, output_tokens: outputTokens };
    const [id, stop] = ['msg', { stop_reason: 'end_turn', stop_sequence: null }];
    return Reply.of({ id, type: 'message', role: 'assistant', model: 'm', content: [], ...stop, usage });
  };
  const options = `day=${(ceiling / 1e9).toFixed(9)}&wait=${wait}`;
  const run = runModule(
    costGuard,
    { upstream, options },
    { prices, budgets: new MemoryBudgets(systemClock) },
  );
  const call = async () => {
    while (refused === 0) {
      const { error } = await run(request);
      if (error === undefined) continue;
      if (!GatewayError.is(error) || error.code !== 'cost_ceiling_exceeded') throw error;
      refused++;
    }
  };
  await Promise.all(Array.from({ length: clients }, call));
  if (spent > ceiling) throw new Error(`${spent} of ${ceiling} was spent`);
  return { unused: 1 - spent / ceiling, refused };
}
