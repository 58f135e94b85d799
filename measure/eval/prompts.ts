// What prompt-optimizer saves, by simulated bills, and whether what matters is still there: npm run eval:prompts -- --data <folder> [--part bills|evidence|agents|time] [--agents <folder>] [--options ttl=5m]
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Provider, providers, scorerIn } from './memory/simulated.ts';
import { agentTraffic } from './prompts/agents.ts';
import { bill } from './prompts/bill.ts';
import { evidenceIn } from './prompts/evidence.ts';
import { timed } from './prompts/timed.ts';
import { type EvalTraffic, trafficIn } from './prompts/traffic.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    part: { type: 'string' },
    agents: { type: 'string' },
    options: { type: 'string', default: 'ttl=auto' },
  },
});
const folder = values.data;
const has = (part: string) => values.part === undefined || values.part === part;

if (folder === undefined || !existsSync(folder))
  console.log(`skipped: there is nothing at ${folder ?? '--data <folder>'}`);
else await report(folder);
if (has('time')) await timed();

async function report(data: string): Promise<void> {
  const scorer = await scorerIn(join(data, 'score'));
  const reportBill = async ({ name, calls }: EvalTraffic, provider: Provider) => {
    const { without, spent, dearest, notes } = await bill(calls, {
      scorer,
      provider,
      options: values.options,
    });
    console.log(
      name.padEnd(54),
      provider.name.padEnd(11),
      `$${without.toFixed(4)}`.padEnd(10),
      `$${spent.toFixed(4)}`.padEnd(10),
      (spent / without).toFixed(4).padEnd(7),
      dearest.toFixed(4),
      JSON.stringify(notes),
    );
  };
  console.log(`${'traffic'.padEnd(54)} provider    without    with       ratio   dearest`);
  for (const provider of has('bills') ? providers : [])
    for (const traffic of trafficIn(data, provider.name === 'anthropic')) await reportBill(traffic, provider);
  if (values.agents !== undefined && has('agents'))
    for await (const { traffic, provider } of agentTraffic(values.agents))
      await reportBill(traffic, provider);
  if (!has('evidence')) return;
  const { pieces, kept, before, after } = await evidenceIn(join(data, 'prompts'));
  console.log(
    `\nevidence in tool results: ${kept} of ${pieces} pieces kept, ${before} characters sent as ${after}`,
  );
}
