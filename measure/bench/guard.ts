// `npm run bench:guard`: ends with 1 when a call with a key has become much dearer than one through the barest proxy.
import { join } from 'node:path';
import { startServer } from './child.ts';
import { endOnSignals } from './end-on-signals.ts';
import { flood, usageOf } from './measure.ts';
import { rowNamed } from './rows.ts';
import { lineUp, type Subject } from './subjects.ts';

/** About twice what it is so soon after the start; `npm run bench` measures it well. */
const ratioMax = 4;
const warmUpSeconds = 1.5;
const roundSeconds = 0.3;
const roundsMin = 3;
/** Other work on the machine makes rounds dearer, never cheaper: the cheapest of each are compared. */
const roundsMax = 20;

endOnSignals();
const { least, ours } = await bestRounds();
const isMet = ours < least * ratioMax;
console.log(
  `a 1 KB call with a key takes ${ours.toFixed(0)} µs of CPU time, ${(ours / least).toFixed(2)} times the ` +
    `${least.toFixed(0)} µs of the barest proxy; the bound is ${ratioMax}: ${isMet ? 'met' : 'missed'}`,
);
if (!isMet) process.exitCode = 1;

async function bestRounds(): Promise<{ readonly least: number; readonly ours: number }> {
  await using children = new AsyncDisposableStack();
  const find = lineUp(children, '');
  const load = children.use(
    (await startServer({ file: join(import.meta.dirname, 'load.ts'), args: [] })).child,
  );
  const row = rowNamed('relay-1kb');
  const cpuMicros = async (subject: Subject, seconds: number): Promise<number> => {
    const before = await usageOf(subject);
    const { calls } = await flood({ load, subject, row }, seconds);
    return ((await usageOf(subject)).cpuMicros - before.cpuMicros) / calls;
  };
  const [bare, weir] = [await find('bare'), await find('weir, key')];
  for (const subject of [bare, weir]) await cpuMicros(subject, warmUpSeconds);

  let [least, ours] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 1; round <= roundsMin || (round <= roundsMax && ours >= least * ratioMax); round += 1) {
    least = Math.min(least, await cpuMicros(bare, roundSeconds));
    ours = Math.min(ours, await cpuMicros(weir, roundSeconds));
  }
  return { least, ours };
}
