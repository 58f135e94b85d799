// What is left of a recorded session after a compaction, with and without compaction-bridge: npm run eval:compaction -- --data <folder>
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ChatRequest, Message } from '../../src/kernel/message.ts';
import { blocksOf } from '../../src/kernel/message-blocks.ts';
import { Reply } from '../../src/kernel/reply/reply.ts';
import { compactionBridge } from '../../src/modules/compaction-bridge/compaction-bridge.ts';
import { runModule } from '../../src/testing/run-module.ts';
import { isPresent, needsOf } from './compaction/needs.ts';
import { summarizers } from './compaction/summarizers.ts';

const { values } = parseArgs({
  options: { data: { type: 'string' }, budget: { type: 'string' }, verbose: { type: 'boolean' } },
});
if (values.data === undefined) throw new Error('--data must name the folder with memory/pi');
const budget = Number(values.budget ?? 1200);
const cuts = 12;
/** The turns of the user after a cut that count. */
const horizon = 10;
const instruction =
  'Do not call any tools. Write a summary of the conversation so far, for another model that will continue it.';

const messages: readonly Message[] = readFileSync(join(values.data, 'memory/pi/large-session.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line).message);
const prompts = messages.flatMap((message, at) =>
  message.role === 'user' && blocksOf(message).some(({ type }) => type === 'text') ? [at] : [],
);
const request = (own: readonly Message[]): ChatRequest => ({ model: 'demo-1', messages: own });

console.log(`${cuts} cuts, the ${horizon} turns after each, ${budget} tokens`);
console.log('summary             identifiers         constraints         only shown     tokens   restored');
for (const { name, summarize } of summarizers) {
  const sums = {
    names: 0,
    plainNames: 0,
    foundNames: 0,
    shown: 0,
    foundShown: 0,
    rules: 0,
    plainRules: 0,
    foundRules: 0,
    tokens: 0,
    restored: 0,
  };
  for (let cut = 0; cut < cuts; cut++) {
    const turn = Math.round(12 + (cut * (prompts.length - horizon - 14)) / (cuts - 1));
    const [at = 0, end = messages.length] = [prompts[turn], prompts[turn + horizon]];
    const [before, after] = [messages.slice(0, at), messages.slice(at, end)];
    const summary = summarize(before);
    const run = runModule(compactionBridge, { options: `holdout=0&budget_tokens=${budget}` });
    await run(request([...before, { role: 'user', content: instruction }]), {
      upstream: async () =>
        Reply.of({
          ...{
            id: 'm',
            type: 'message',
            role: 'assistant',
            model: 'demo-1',
            content: [{ type: 'text', text: summary }],
          },
          ...{ stop_reason: 'end_turn', stop_sequence: null, usage: {} },
        }),
    });
    // The system prompt is not in the recording.
    const opening: Message = {
      role: 'user',
      content: `${' '.repeat(1000)}\nThe conversation so far:\n${summary}`,
    };
    const { sent, step } = await run(request([opening]));
    const [plain, restored] = [String(opening.content), String(sent[0]?.messages[0]?.content)];
    const { identifiers, shown, constraints } = needsOf(before, after);
    if (values.verbose === true)
      console.log(turn, step?.attributes, {
        names: identifiers.filter((one) => !restored.includes(one)),
        rules: constraints.filter((one) => !isPresent(restored, one)),
      });
    sums.names += identifiers.length;
    sums.plainNames += identifiers.filter((one) => plain.includes(one)).length;
    sums.foundNames += identifiers.filter((one) => restored.includes(one)).length;
    sums.shown += shown.length;
    sums.foundShown += shown.filter((one) => restored.includes(one)).length;
    sums.rules += constraints.length;
    sums.plainRules += constraints.filter((one) => isPresent(plain, one)).length;
    sums.foundRules += constraints.filter((one) => isPresent(restored, one)).length;
    sums.tokens += Math.ceil(Buffer.byteLength(restored.slice(plain.length)) / 4);
    sums.restored += Number(step?.attributes.restored ?? 0);
  }
  const share = (found: number, all: number) => `${((100 * found) / Math.max(1, all)).toFixed(0)} %`;
  console.log(
    name.padEnd(19),
    `${share(sums.plainNames, sums.names)} → ${share(sums.foundNames, sums.names)} of ${sums.names}`.padEnd(
      19,
    ),
    `${share(sums.plainRules, sums.rules)} → ${share(sums.foundRules, sums.rules)} of ${sums.rules}`.padEnd(
      19,
    ),
    `${share(sums.foundShown, sums.shown)} of ${sums.shown}`.padEnd(14),
    String(Math.round(sums.tokens / cuts)).padEnd(8),
    (sums.restored / cuts).toFixed(0),
  );
}

/** Calls of the session without a compaction, and how many of them changed. */
const ordinary = runModule(compactionBridge, { options: 'holdout=0' });
let [calls, changed] = [0, 0];
for (let at = 1; at < prompts.length; at += 3) {
  const own = request(messages.slice(0, (prompts[at] ?? 0) + 1));
  const { sent } = await ordinary(own);
  calls++;
  if (JSON.stringify(sent[0]?.messages) !== JSON.stringify(own.messages)) changed++;
}
console.log(`${changed} of ${calls} calls without a compaction changed`);
