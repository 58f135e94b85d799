// `npm run bench:workers`: what one process and two of WEIR_WORKERS take for a call, thread by thread, by turns in one run. Linux only.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { byTurns } from './by-turns.ts';
import { startServer } from './child.ts';
import { signUp, startCloud } from './cloud.ts';
import { endOnSignals } from './end-on-signals.ts';
import { flood } from './measure.ts';
import { numberOption } from './number-option.ts';
import { rowNamed } from './rows.ts';
import { quantile } from './statistics.ts';
import { bearer, startOwn } from './subjects.ts';

const { values } = parseArgs({
  options: {
    row: { type: 'string', default: 'relay-1kb' },
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '1.2' },
  },
});
const row = rowNamed(values.row);
const rounds = numberOption('rounds', values.rounds);
const seconds = numberOption('seconds', values.seconds);
const warmUps = 6;

endOnSignals();
await using children = new AsyncDisposableStack();
const load = children.use(
  (await startServer({ file: join(import.meta.dirname, 'load.ts'), args: [] })).child,
);
const provider = children.use(await startOwn('upstream.ts'));
const [one, two] = [await gatewayOf(1), await gatewayOf(2)];
await byTurns([one, two], warmUps, measured);
const turns = await byTurns([one, two], rounds, measured);
const median = (of: typeof one, pick: (taken: CpuTimes) => number) =>
  quantile((turns.get(of) ?? []).map(pick), 0.5);
for (const each of [one, two]) {
  const all = median(each, ({ cpuMicros }) => cpuMicros).toFixed(1);
  const main = median(each, ({ mainMicros }) => mainMicros).toFixed(1);
  const busiest = median(each, ({ busiestMicros }) => busiestMicros).toFixed(1);
  console.log(
    `${each.workers} at work: ${all} µs of CPU for a call, main threads ${main}, the busiest of them ${busiest}`,
  );
}
const bound = (pick: (taken: CpuTimes) => number) => median(one, pick) / median(two, pick);
console.log(
  `Where cores are not the bound, the busiest main thread is: ${bound(({ busiestMicros }) => busiestMicros).toFixed(2)} times the calls of one, ` +
    `and ${(2 * bound(({ mainMicros }) => mainMicros)).toFixed(2)} where both have as many connections`,
);

/** For a call, together and by threads. */
interface CpuTimes {
  readonly cpuMicros: number;
  readonly mainMicros: number;
  readonly busiestMicros: number;
}

async function gatewayOf(workers: number) {
  const environment = { WEIR_WORKERS: String(workers) };
  const gateway = children.use(await startCloud({ upstream: provider.origin, environment }));
  const key = await (await signUp(gateway.origin, 'bench'))(row.name === 'cache-hit' ? 'exact-cache' : null);
  const subject = { ...gateway, name: 'weir, key', headersFor: bearer(key), restBytes: 0 } as const;
  return { subject, workers, pids: [gateway.child.pid, ...childrenOf(gateway.child.pid)] };
}

/** With as many connections for each process. */
async function measured({
  subject,
  workers,
  pids,
}: Awaited<ReturnType<typeof gatewayOf>>): Promise<CpuTimes> {
  const before = new Map(pids.flatMap(threadsOf));
  const busy = { ...row, floodConcurrency: row.floodConcurrency * workers };
  const { calls } = await flood({ load, subject, row: busy }, seconds);
  const spent = pids
    .flatMap(threadsOf)
    .map(([id, micros]) => [id, (micros - (before.get(id) ?? 0)) / calls] as const);
  const mains = spent.filter(([id]) => pids.includes(id)).map(([, micros]) => micros);
  return {
    cpuMicros: sumOf(spent.map(([, micros]) => micros)),
    mainMicros: sumOf(mains),
    busiestMicros: Math.max(...mains),
  };
}

function sumOf(all: readonly number[]): number {
  return all.reduce((sum, each) => sum + each, 0);
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** The time that each thread of a process has run. */
function threadsOf(pid: number): readonly (readonly [id: number, micros: number])[] {
  return readdirSync(`/proc/${pid}/task`).map((id) => {
    const [nanos = ''] = readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ');
    return [Number(id), Number(nanos) / 1000];
  });
}
