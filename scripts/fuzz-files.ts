// Forged files, imported into an account beside another: npm run fuzz:files -- --minutes 3 --seed 1
// One file again: npm run fuzz:files -- --seed 1 --file 712

import { parseArgs } from 'node:util';
import { fuzzFiles } from '../test/fuzz/fuzz-files.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    file: { type: 'string' },
  },
});
const seed = Number(values.seed);
console.log(`seed ${seed}`);
const tally = await fuzzFiles(
  values.file === undefined
    ? { seed, untilMs: performance.now() + Number(values.minutes) * 60_000 }
    : { seed, first: Number(values.file), files: 1 },
);
const { files, refused, added, replaced, left } = tally;
console.log(
  `${files} files, ${refused} of them refused; rows of the others: ${added} added, ${replaced} replaced, ${left} not imported`,
);
