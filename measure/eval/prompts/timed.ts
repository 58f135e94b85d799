import type { ChatRequest, Message } from '../../../src/kernel/message.ts';
import { promptOptimizer } from '../../../src/modules/prompt-optimizer/prompt-optimizer.ts';
import { anthropic } from '../../../src/providers/anthropic.ts';
import { runModule } from '../../../src/testing/run-module.ts';
import { answered } from '../memory/simulated.ts';

const turns = 30;

/** CPU time of a call with and without the module, in conversations of several sizes. */
export async function timed(): Promise<void> {
  console.log('\nsize      with      without (ms of CPU per call, the other parts of the gateway included)');
  for (const bytes of [1000, 100_000, 700_000]) {
    const ours = await cpuOf(bytes, 'prompt-optimizer?holdout=0');
    const plain = await cpuOf(bytes, 'none');
    console.log(`${bytes / 1000} KB`.padEnd(9), ours.toFixed(2).padEnd(9), plain.toFixed(2));
  }
}

async function cpuOf(bytes: number, pipeline: string): Promise<number> {
  const run = runModule(promptOptimizer, { pipeline, upstream: answered, provider: anthropic });
  const messages: Message[] = [{ role: 'user', content: 'a word '.repeat(bytes / 7) }];
  const times: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const request: ChatRequest = { model: 'claude-sonnet-4-5', max_tokens: 100, messages: [...messages] };
    const before = process.cpuUsage();
    await run(request);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
    messages.push(
      { role: 'assistant', content: `Answer ${turn}.` },
      { role: 'user', content: `Turn ${turn}.` },
    );
  }
  return times.sort((one, other) => one - other)[turns / 2] ?? 0;
}
