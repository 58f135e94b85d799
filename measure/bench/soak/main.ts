import { parseArgs } from 'node:util';
import { endOnSignals } from '../end-on-signals.ts';
import { numberOption } from '../number-option.ts';
import { spreadOf } from '../statistics.ts';
import { type Sample, soak } from './soak.ts';
import { growthPerMinute } from './trend.ts';

/** Mixed traffic for a while, and whether memory stays flat: `npm run bench:soak -- --minutes 10`. */
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, callers: { type: 'string', default: '16' } },
});
const minutes = numberOption('minutes', values.minutes);
const callers = numberOption('callers', values.callers);
/** Caches fill and code is compiled in the first part, which doesn't count. */
const warmUpPart = 0.4;
/** Growth over the rest that is taken for noise: some megabytes, or some of every hundred. */
const noiseBytes = 4 * 2 ** 20;
const noisePart = 0.05;
endOnSignals();

const { samples, done, openAfter } = await soak({ minutes, callers, onSample: print });
console.log(`\n${done.calls} calls, ${done.surprising} of which ended otherwise than they must`);
for (const surprise of done.surprises) console.log(`  ${surprise}`);
console.log(`open calls after the last: ${openAfter}`);
for (const name of samples[0]?.gauges.keys() ?? []) {
  const { lowest, median, highest } = spreadOf(samples.map(({ gauges }) => gauges.get(name) ?? Number.NaN));
  console.log(`${name}: from ${lowest} to ${highest}, in the middle ${median}`);
}
const flat = [isFlat('RSS', ({ rssBytes }) => rssBytes), isFlat('heap', ({ heapBytes }) => heapBytes)];
if (flat.includes(false) || done.surprising > 0 || openAfter > 0) process.exitCode = 1;

function print({ minute, rssBytes, heapBytes, gauges }: Sample): void {
  const open = gauges.get('weir_open_calls') ?? Number.NaN;
  console.log(
    `${minute.toFixed(2).padStart(6)} min  RSS ${megabytes(rssBytes)} MB  heap ${megabytes(heapBytes)} MB  open calls ${open}`,
  );
}

function isFlat(name: string, pick: (sample: Sample) => number): boolean {
  const settled = samples.filter(({ minute }) => minute > minutes * warmUpPart);
  const perMinute = growthPerMinute(
    settled.map((sample) => ({ minute: sample.minute, value: pick(sample) })),
  );
  const growth = perMinute * minutes * (1 - warmUpPart);
  const { median, lowest, highest } = spreadOf(settled.map(pick));
  const flat = growth <= Math.max(noiseBytes, median * noisePart);
  console.log(
    `${name}: ${flat ? 'flat' : 'GROWING'}: ${megabytes(median)} MB (${megabytes(lowest)} to ${megabytes(highest)}), ${megabytes(perMinute)} MB a minute after the first ${warmUpPart * 100} %`,
  );
  return flat;
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}
