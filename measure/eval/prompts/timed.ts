import type { ChatRequest, Message } from '../../../src/kernel/message.ts';
import { defineModule } from '../../../src/kernel/module.ts';
import { promptOptimizer } from '../../../src/modules/prompt-optimizer/prompt-optimizer.ts';
import { anthropic } from '../../../src/providers/anthropic.ts';
import { runModule } from '../../../src/testing/run-module.ts';
import { answered } from '../memory/simulated.ts';

const calls = 200;
const messageBytes = 1000;

/** May edit the same, and does nothing: what any editing module costs. */
const idle = defineModule({
  ...promptOptimizer,
  name: 'idle',
  handle: (exchange, next) => next(exchange),
});

/** CPU time of the module's own work, in conversations of several sizes. */
export async function timed(): Promise<void> {
  console.log('\nsize      prompt-optimizer   a module that does nothing (ms of CPU per call, median)');
  for (const bytes of [1000, 100_000, 700_000]) {
    const [ours, others] = [
      await cpuOf(bytes, 'prompt-optimizer?holdout=0'),
      await cpuOf(bytes, 'idle?holdout=0'),
    ];
    console.log(`${bytes / 1000} KB`.padEnd(9), ours.toFixed(2).padEnd(18), others.toFixed(2));
  }
}

/** Conversations of two calls each. */
async function cpuOf(bytes: number, pipeline: string): Promise<number> {
  const options = { pipeline, upstream: answered, provider: anthropic };
  const run = runModule(promptOptimizer, options, { otherModules: [idle] });
  const times: number[] = [];
  for (let call = 0; call < calls; call++) {
    const conversation = Math.floor(call / 2);
    const count = 2 * Math.ceil(bytes / messageBytes / 2) - 1 + (call % 2) * 2;
    const messages = Array.from({ length: count }, (_, at) => message(conversation, at));
    const request: ChatRequest = { model: 'claude-sonnet-4-5', max_tokens: 100, messages };
    const before = process.cpuUsage();
    await run(request);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  const warm = times.slice(calls / 2).sort((one, other) => one - other);
  return warm[Math.floor(warm.length / 2)] ?? 0;
}

function message(conversation: number, at: number): Message {
  return {
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `${conversation} ${at} ${'word '.repeat(messageBytes / 5)}`,
  };
}
