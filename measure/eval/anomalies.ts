// Simulates accounts, and tells how often the detector of anomalies is wrong in their normal life, and which jumps to three times
// the usual it finds within half an hour.
// npm run eval:anomalies                                  20 × 30 account-months that were not used to build the detector
// npm run eval:anomalies -- --set development --runs 4    those that were
// npm run eval:anomalies -- --data sums.jsonl             the alarms in other data: lines with key, atMs (five minutes) and sums of calls
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { KeyActivity } from '../../src/kernel/ports/key-activity.ts';
import { JumpTally } from './anomalies/jumps.ts';
import { Random } from './anomalies/random.ts';
import { binsPerDay, type Nature, simulateAccount, usualNature } from './anomalies/simulated-key.ts';
import { binMs, WatchedKey } from './anomalies/watched-key.ts';

const { values: options } = parseArgs({
  options: {
    set: { type: 'string', default: 'final' },
    runs: { type: 'string', default: '20' },
    data: { type: 'string' },
  },
});
const learningDays = 28;
const days = learningDays + 30;
const startMs = Date.UTC(2026, 0, 5);
const firstSeed = options.set === 'development' ? 1000 : 900_000;

if (options.data === undefined) await simulateAll();
else await readAll(options.data);

async function simulateAll(): Promise<void> {
  // Ctrl+C shows what is measured so far.
  let isStopped = false;
  process.once('SIGINT', () => {
    isStopped = true;
  });
  const jumps = new JumpTally();
  const alarms: number[] = [];
  const kinds = new Map<string, number>();
  let outages = 0;
  for (let run = 0; run < Number(options.runs) && !isStopped; run++) {
    let falseAlarms = 0;
    const nature = natureOf(run);
    for (let account = 0; account < 30; account++) {
      const { life, keys } = simulateAccount(firstSeed * 7 + run * 1000 + account, nature, days);
      for (const [at, key] of keys.entries()) {
        const bins = Array.from({ length: days * binsPerDay }, (_, bin) => key.next(bin));
        const random = new Random(firstSeed + run * 10_000 + account * 100 + at);
        const jumpsAt = new Set(
          [0, 1].map(() => Math.floor(random.between(learningDays * binsPerDay, (days - 1) * binsPerDay))),
        );
        const watched = new WatchedKey();
        for (const [bin, activity] of bins.entries()) {
          if (jumpsAt.has(bin)) jumps.judge({ key, watched, bins, bin, startMs });
          for (const { kind, measure } of watched.add(activity, startMs + (bin + 1) * binMs)) {
            if (kind !== 'detected' || bin < learningDays * binsPerDay) continue;
            const isOutage = life.outages.some(({ from, to }) => bin >= from && bin <= to + 6);
            if (isOutage && measure !== 'cache_hits') outages++;
            else {
              falseAlarms++;
              const name = `${measure} of ${key.kind}`;
              kinds.set(name, (kinds.get(name) ?? 0) + 1);
            }
          }
        }
      }
    }
    alarms.push(falseAlarms);
    await setImmediate();
    console.log(`run ${run + 1}: ${falseAlarms} false alarms in 30 account-months`);
  }
  const sum = alarms.reduce((total, one) => total + one, 0);
  console.log(
    `\nfalse alarms in 30 account-months: ${(sum / alarms.length).toFixed(2)} in the mean, ${Math.max(...alarms)} at most`,
  );
  console.log([...kinds].map(([name, count]) => `${count} × ${name}`).join(', '));
  console.log(`outages of a provider that were reported: ${outages}\n`);
  jumps.print();
}

/** The final set has keys that live otherwise than those by which the detector was built. */
function natureOf(run: number): Nature {
  const random = new Random(firstSeed + run);
  if (options.set === 'development') return usualNature;
  return {
    noise: random.between(0.5, 1.6),
    bursts: random.between(0.5, 2),
    cycle: random.between(0.6, 1.1),
    outages: random.between(0, 3),
    growth: random.between(0, 1),
    jitterMinutes: random.between(0, 20),
    rateMax: random.scaled(20, 200),
  };
}

/** Sorted by time. */
async function readAll(file: string): Promise<void> {
  const watched = new Map<string, { readonly key: WatchedKey; lastMs: number }>();
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { key: name, atMs, ...activity }: { key: string; atMs: number } & KeyActivity = JSON.parse(line);
    const one = watched.get(name) ?? { key: new WatchedKey(), lastMs: atMs - binMs };
    watched.set(name, one);
    const add = (ms: number, its: KeyActivity | undefined) => {
      for (const { kind, measure, incident } of one.key.add(its, ms + binMs))
        console.log(new Date(ms + binMs).toISOString(), name, kind, measure, incident.worst.toFixed(1));
    };
    for (let ms = one.lastMs + binMs; ms < atMs; ms += binMs) add(ms, undefined);
    add(atMs, activity);
    one.lastMs = atMs;
  }
}
