// Compares what the gateway meters with what providers reported: npm run eval:usage -- --data <folder>
import { existsSync } from 'node:fs';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { isJsonObject } from '../../src/lib/json.ts';
import { countsOf, differences } from './usage/counts.ts';
import { knownDifferences } from './usage/known-differences.ts';
import { metered } from './usage/metered.ts';
import { judged, type PriceJudgement } from './usage/pricing.ts';
import { reportedIn } from './usage/reported.ts';
import { formats } from './wire/formats.ts';
import { type Recording, recordingsOf } from './wire/recordings.ts';

const { values } = parseArgs({ options: { data: { type: 'string' } } });
const folder = values.data;
if (folder === undefined || !existsSync(folder))
  console.log(`skipped: there are no recordings at ${folder ?? '--data <folder>'}`);
else process.exitCode = evaluate(folder);

interface UsageComparison extends PriceJudgement {
  readonly recording: Recording;
  readonly model: string;
  readonly faults: readonly string[];
  /** Why it may differ. */
  readonly known: string | undefined;
}

function evaluate(data: string): number {
  const recordings = formats.flatMap((format) => recordingsOf(data, format));
  const compared = recordings.flatMap((recording) => compare(recording) ?? []);
  console.log(`${recordings.length} recorded calls, ${compared.length} of them with usage\n`);
  reportCounts(compared);
  reportDifferences(compared);
  reportPrices(compared);
  return compared.some(({ faults, known }) => faults.length > 0 && known === undefined) ? 1 : 0;
}

function compare(recording: Recording): UsageComparison | undefined {
  const reported = reportedIn(recording);
  if (reported === undefined) return undefined;
  const usage = metered(recording, 'milestones');
  const faults = [...differences(reported.counts, countsOf(usage))];
  if (!isDeepStrictEqual(usage, metered(recording, 'everything')))
    faults.push('who reads everything meters something else');
  const asked = isJsonObject(recording.body) ? recording.body.model : undefined;
  const model = typeof asked === 'string' ? asked : reported.model;
  return {
    recording,
    model,
    faults,
    known: knownDifferences.find((known) => known.matches(recording, reported.counts))?.why,
    ...judged(recording.provider, model, { usage, reported }),
  };
}

function reportCounts(compared: readonly UsageComparison[]): void {
  row(['format', 'provider', 'with usage', 'equal', 'differing']);
  const groups = Map.groupBy(
    compared,
    ({ recording }) => `${recording.format.wire.name} ${recording.provider}`,
  );
  for (const [name, group] of [...groups].sort(([a], [b]) => a.localeCompare(b)))
    row([...name.split(' '), ...tally(group)]);
  row(['all', '', ...tally(compared)]);
}

function tally(group: readonly UsageComparison[]): readonly string[] {
  const equal = group.filter(({ faults }) => faults.length === 0).length;
  return [String(group.length), String(equal), String(group.length - equal)];
}

function row([format = '', provider = '', ...figures]: readonly string[]): void {
  const numbers = figures.map((figure) => figure.padStart(12));
  console.log(`${format.padEnd(20)}${provider.padEnd(16)}${numbers.join('')}`);
}

function reportDifferences(compared: readonly UsageComparison[]): void {
  for (const { recording, model, faults, known } of compared)
    if (faults.length > 0) {
      console.log(
        `\n${known === undefined ? 'FAIL' : 'known'} ${recording.provider} ${model} ${recording.id}`,
      );
      console.log(`  ${faults.join('; ')}${known === undefined ? '' : `\n  ${known}`}`);
    }
}

function reportPrices(compared: readonly UsageComparison[]): void {
  const prices = Object.entries(Object.groupBy(compared, ({ price }) => price));
  console.log(`\nPriced: ${prices.map(([price, calls]) => `${calls.length} ${price}`).join(', ')}`);
  for (const [price, calls] of prices) {
    if (price === 'catalogued') continue;
    const names = Map.groupBy(calls, ({ recording, model }) => `${recording.provider}/${model}`);
    console.log(`${price}: ${[...names].map(([name, { length }]) => `${name} (${length})`).join(', ')}`);
  }
  const told = compared.filter(({ asReported }) => asReported !== undefined);
  const right = told.filter(({ asReported }) => asReported === true);
  console.log(
    `\n${right.length} of ${told.length} calls cost by our prices what their provider said they cost`,
  );
  const others = Map.groupBy(
    told.filter(({ asReported }) => asReported === false),
    ({ recording, model }) => `${recording.provider}/${model}`,
  );
  if (others.size > 0)
    console.log(`not: ${[...others].map(([name, { length }]) => `${name} (${length})`).join(', ')}`);
}
