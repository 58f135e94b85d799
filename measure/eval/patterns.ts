// Simulates conversations with patterns of known effect, and tells how soon those that harm are retired.
// npm run eval:patterns            the table, and a run through the module itself
// npm run eval:patterns -- --svg   writes docs/how-it-works/patterns.svg, too
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { patterns } from '../../src/modules/patterns/patterns.ts';
import { patternEffectOf } from '../../src/modules/patterns/store/pattern-effect.ts';
import { PatternStore } from '../../src/modules/patterns/store/pattern-store.ts';
import { runModule } from '../../src/testing/run-module.ts';
import { createPatternTable } from '../../test/support/pattern-table.ts';
import { curves } from './patterns/curves.ts';
import { type Effect, seeded, simulated } from './patterns/simulated.ts';

const conversations = 1000;
const runs = 200;
const effects: readonly (Effect & { readonly name: string })[] = [
  { name: 'harms much', without: 0.7, with: 0.2 },
  { name: 'harms', without: 0.7, with: 0.5 },
  { name: 'does nothing', without: 0.7, with: 0.7 },
  { name: 'helps', without: 0.5, with: 0.7 },
  { name: 'helps much', without: 0.3, with: 0.8 },
];

console.log(`${runs} runs of ${conversations} conversations each, holdout 0.1\n`);
console.log('| pattern | goes well without | with | retired | half of these within | 95 % within |');
console.log('|---|--:|--:|--:|--:|--:|');
for (const effect of effects) {
  const ends = Array.from({ length: runs }, (_, seed) => simulated(effect, { conversations, seed }).retiredAt)
    .filter((at) => at !== undefined)
    .sort((one, other) => one - other);
  const within = (share: number) => ends[Math.ceil(share * ends.length) - 1] ?? '–';
  console.log(
    `| ${effect.name} | ${effect.without} | ${effect.with} | ${((100 * ends.length) / runs).toFixed(1)} % | ${within(0.5)} | ${within(0.95)} |`,
  );
}

/** The same through the module: two tools, each with a pattern that a person made, one good and one bad. */
const clock = { time: 1_763_000_000_000, now: () => clock.time };
const { tables, table } = createPatternTable();
const book = new PatternStore({ table, clock });
const planted = await Promise.all(
  ['good', 'bad'].map((name) =>
    book.add('local', {
      trigger: { text: '', tools: [name], models: [] },
      advice: `The ${name} advice.`,
      state: 'active',
      scope: null,
    }),
  ),
);
const run = runModule(patterns, {}, { tables, clock });
const random = seeded(7);
const lines = new Map(planted.map((one) => [one?.pattern.id ?? '', [] as number[]]));
let retiredAt: number | undefined;
for (let at = 1; at <= conversations; at++) {
  clock.time += 60_000;
  const name = at % 2 === 0 ? 'good' : 'bad';
  const headers = ['x-weir-conversation', `c${at}`];
  const { sent } = await run(
    { model: 'demo-1', messages: [{ role: 'user', content: `Use the ${name} one.` }], tools: [{ name }] },
    { headers },
  );
  const isAdvised = JSON.stringify(sent).includes('gateway-advice');
  const chance = name === 'good' ? (isAdvised ? 0.8 : 0.5) : isAdvised ? 0.3 : 0.7;
  const good = random() < chance ? 1 : 0;
  await book.recordOutcome('local', { conversation: `c${at}`, requestId: '', good, bad: 1 - good, note: '' });
  for (const [id, line] of lines) {
    const pattern = await table.find('local', id);
    if (pattern === undefined) continue;
    line.push(patternEffectOf(pattern).helps);
    if (pattern.state === 'retired') retiredAt ??= at;
  }
}
const states = await Promise.all([...lines.keys()].map((id) => table.find('local', id)));
console.log(
  `\nThrough the module: the bad pattern was retired in conversation ${retiredAt ?? '–'} of ${conversations}.`,
);
for (const pattern of states)
  console.log(`${pattern?.advice} ${pattern?.state}: ${pattern?.story.at(-1)?.what}`);
console.log('\nThe chance that each helps, after so many conversations:');
for (const at of [0, 9, 19, 39, 59, 79, 99, 149, 199, 399, 999])
  console.log(
    `${String(at + 1).padStart(5)}  ${[...lines.values()].map((line) => line[at]?.toFixed(3)).join('  ')}`,
  );
if (process.argv.includes('--svg')) {
  const [good = [], bad = []] = lines.values();
  writeFileSync(
    join(import.meta.dirname, '..', '..', 'docs', 'how-it-works', 'patterns.svg'),
    curves({ good, bad, retiredAt }),
  );
}
