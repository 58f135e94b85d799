// Long runs of every kind of text in every field, through every module and format: npm run test:texts -- --minutes 30
// Some of it: npm run test:texts -- --only "blank lines as .* through ipc"

import { parseArgs } from 'node:util';
import { Random } from '../test/fuzz/random.ts';
import { faultOf } from '../test/texts/judge.ts';
import { described, everyTrial, formerFaults } from '../test/texts/plan.ts';
import { Subject } from '../test/texts/subject.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    /** In which order they are tried, where there is no time for all of them. */
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    /** A text may take this many times the 20 ms per megabyte. */
    tolerance: { type: 'string', default: '2' },
  },
});

const wanted = new RegExp(values.only);
const random = new Random(Number(values.seed));
const trials = [...everyTrial()]
  .map((trial) => ({ trial, order: random.next() }))
  .sort((one, other) => one.order - other.order)
  .map(({ trial }) => trial);
const chosen = [...formerFaults, ...trials].filter((trial) => wanted.test(described(trial)));
const untilMs = performance.now() + Number(values.minutes) * 60_000;
const subject = await Subject.start();
let [tried, faults] = [0, 0];
for (const trial of chosen) {
  if (performance.now() > untilMs) break;
  const fault = await faultOf(subject, trial.way, trial.unit, Number(values.tolerance));
  tried++;
  if (fault === undefined) continue;
  faults++;
  console.log(`FAIL ${described(trial)}: ${fault}`);
}
await subject.close();
console.log(`${tried} of ${chosen.length} tried, ${faults} faults`);
process.exitCode = faults === 0 ? 0 : 1;
