// What ipc saves, and whether what matters is still there: npm run eval:memory -- --data <folder> [--part sessions|chats|talks|fit|vectors|clearing|synthetic|agents|time] [--turns 500] [--seeds 1,2] [--options target=0.5]
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { agents } from './memory/agents.ts';
import { clearedByProvider } from './memory/clearing.ts';
import { fitted } from './memory/fitting.ts';
import { providers, scorerIn } from './memory/simulated.ts';
import { synthetic } from './memory/synthetic.ts';
import { talksIn } from './memory/talks.ts';
import { timed } from './memory/timed.ts';
import { chats, recordedIn, session, type TraceCost } from './memory/traces.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    part: { type: 'string' },
    turns: { type: 'string', default: '500' },
    seeds: { type: 'string', default: '1,2' },
    options: { type: 'string', default: 'target=0.5' },
  },
});
const folder = values.data;
const has = (part: string) => values.part === undefined || values.part === part;

if (folder === undefined || !existsSync(folder))
  console.log(`skipped: there are no conversations at ${folder ?? '--data <folder>'}`);
else await report(folder);
if (has('synthetic')) await synthetic(Number(values.turns));
if (has('agents')) await agents(values.seeds.split(',').map(Number), values.options);
if (has('time')) await timed();

async function report(data: string): Promise<void> {
  const scorer = await scorerIn(join(data, '..', 'score'));
  const costs: TraceCost[] = [];
  for (const provider of providers)
    for (const { file, isMany } of recordedIn(data)) {
      if (!isMany && values.part === 'clearing' && provider.name === 'anthropic')
        await clearedByProvider(file, { scorer, provider });
      if (!isMany && has('sessions'))
        for (const target of ['0.25', '0.5', '50000&hold=on'])
          costs.push(await session(file, { scorer, provider, target }));
      if (isMany && has('chats'))
        for (const target of ['0.25', '2000', '6000&hold=on'])
          costs.push(await chats(file, { scorer, provider, target }));
    }
  if (costs.length > 0) {
    console.log(
      'conversations        provider   target         without   with     less      dearest   steps   faults',
    );
    for (const { name, provider, target, without, spent, worst, steps, faults } of costs)
      console.log(
        name.padEnd(20),
        provider.padEnd(10),
        target.padEnd(14),
        `$${without.toFixed(3)}`.padEnd(9),
        `$${spent.toFixed(3)}`.padEnd(8),
        percent(1 - spent / without).padEnd(9),
        percent(worst - 1).padEnd(9),
        String(steps).padEnd(7),
        faults,
      );
  }
  const talks = readdirSync(data).filter((name) => existsSync(join(data, name, 'questions.jsonl')));
  if (values.part === 'fit' || values.part === 'vectors')
    for (const name of talks) await fitted(join(data, name), values.part === 'vectors');
  for (const name of has('talks') ? talks : [])
    for (const share of [0.25, 0.1]) {
      const outcomes = await talksIn(join(data, name), share);
      const mean = (of: (outcome: (typeof outcomes)[number]) => number) =>
        outcomes.reduce((sum, outcome) => sum + of(outcome), 0) / outcomes.length;
      console.log(
        `\n${name}, ${outcomes.length} questions, at ${percent(share)} of the tokens (sent: ${percent(mean((one) => one.share))}):`,
        `all evidence there ${percent(mean((one) => Number(one.isThere)))},`,
        `with one recall of ${Math.round(Math.max(...outcomes.map((one) => one.recalledTokens)))} tokens at most ${percent(mean((one) => Number(one.isRecalled)))}`,
      );
    }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
