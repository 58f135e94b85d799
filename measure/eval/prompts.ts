// What prompt-optimizer saves, by simulated bills, and whether what matters is still there: npm run eval:prompts -- --data <folder> [--part bills|evidence|time] [--options ttl=5m]
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { providers, scorerIn } from './memory/simulated.ts';
import { type Bill, bill } from './prompts/bill.ts';
import { evidenceIn } from './prompts/evidence.ts';
import { timed } from './prompts/timed.ts';
import { trafficIn } from './prompts/traffic.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    part: { type: 'string' },
    options: { type: 'string', default: 'ttl=auto' },
  },
});
const folder = values.data;
const has = (part: string) => values.part === undefined || values.part === part;

if (folder === undefined || !existsSync(folder))
  console.log(`skipped: there is nothing at ${folder ?? '--data <folder>'}`);
else {
  if (has('bills')) await reportBills(folder);
  if (has('evidence')) await reportEvidence(folder);
}
if (has('time')) await timed();

async function reportBills(data: string): Promise<void> {
  const scorer = await scorerIn(join(data, 'score'));
  console.log(
    'traffic                                      provider    without    with       ratio   dearest',
  );
  for (const provider of providers)
    for (const traffic of trafficIn(data, provider.name === 'anthropic')) {
      const one: Bill = await bill(traffic.calls, { scorer, provider, options: values.options });
      console.log(
        traffic.name.padEnd(44),
        provider.name.padEnd(11),
        `$${one.without.toFixed(4)}`.padEnd(10),
        `$${one.spent.toFixed(4)}`.padEnd(10),
        (one.spent / one.without).toFixed(4).padEnd(7),
        one.dearest.toFixed(4),
        JSON.stringify(one.notes),
      );
    }
}

async function reportEvidence(data: string): Promise<void> {
  const { pieces, kept, before, after } = await evidenceIn(join(data, 'prompts'));
  console.log(
    `\nevidence in tool results: ${kept} of ${pieces} pieces kept, ${before} characters sent as ${after}`,
  );
}
