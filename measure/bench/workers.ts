// `npm run bench:workers`: what one process, two that share nothing and two of WEIR_WORKERS take for a call, thread by thread, by
// turns in one run. Linux only.
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
    'warm-up': { type: 'string', default: '40000' },
  },
});
const row = rowNamed(values.row);
const rounds = numberOption('rounds', values.rounds);
const seconds = numberOption('seconds', values.seconds);
const warmUpCalls = numberOption('warm-up', values['warm-up']);

endOnSignals();
await using children = new AsyncDisposableStack();
const loads = [await startLoad(), await startLoad()];
const provider = children.use(await startOwn('upstream.ts'));
const gateways = [await gatewayOf(1), await gatewayOf(1)];
const [first] = gateways;
const workers = await gatewayOf(2);
if (first === undefined) throw new Error('no gateway was started');
/** Each gateway in a list gets connections of its own. */
const alone: Setting = { title: 'one process', gateways: [first] };
const apart: Setting = { title: 'two gateways of one process each', gateways };
const together: Setting = { title: 'two workers', gateways: [workers, workers] };
const settings = [alone, apart, together];
// For each process: a worker that has served half of the calls runs less optimized code.
for (const each of [apart, together])
  for (let calls = 0; calls < 2 * warmUpCalls; ) calls += (await measured(each)).calls;
const turns = await byTurns(settings, rounds, measured);
const median = (of: Setting, pick: (taken: CpuTimes) => number) =>
  quantile((turns.get(of) ?? []).map(pick), 0.5);
for (const each of settings) {
  const all = median(each, ({ cpuMicros }) => cpuMicros).toFixed(1);
  const main = median(each, ({ mainMicros }) => mainMicros).toFixed(1);
  const busiest = median(each, ({ busiestMicros }) => busiestMicros).toFixed(1);
  console.log(
    `${each.title}: ${all} µs of CPU for a call, main threads ${main}, the busiest of them ${busiest}`,
  );
}
const mainMicros = (of: Setting) => median(of, (taken) => taken.mainMicros);
console.log(
  `Where cores are not the bound, main threads are: two workers do ${((2 * mainMicros(alone)) / mainMicros(together)).toFixed(2)} times the calls of one process. ` +
    `Two gateways that share nothing do ${((2 * mainMicros(alone)) / mainMicros(apart)).toFixed(2)} times: what they lack to 2 is this machine's.`,
);

interface Setting {
  readonly title: string;
  readonly gateways: readonly Awaited<ReturnType<typeof gatewayOf>>[];
}

/** For a call, together and by threads. */
interface CpuTimes {
  readonly calls: number;
  readonly cpuMicros: number;
  readonly mainMicros: number;
  readonly busiestMicros: number;
}

async function startLoad() {
  return children.use((await startServer({ file: join(import.meta.dirname, 'load.ts'), args: [] })).child);
}

async function gatewayOf(count: number) {
  const environment = { WEIR_WORKERS: String(count) };
  const gateway = children.use(await startCloud({ upstream: provider.origin, environment }));
  const key = await (await signUp(gateway.origin, 'bench'))(row.name === 'cache-hit' ? 'exact-cache' : null);
  const subject = { ...gateway, name: 'weir, key', headersFor: bearer(key), restBytes: 0 } as const;
  return { subject, pids: [gateway.child.pid, ...childrenOf(gateway.child.pid)] };
}

async function measured({ gateways: loaded }: Setting): Promise<CpuTimes> {
  const pids = [...new Set(loaded.flatMap((gateway) => gateway.pids))];
  const before = new Map(pids.flatMap(threadsOf));
  const floods = await Promise.all(
    loaded.map(async ({ subject }, at) => {
      const load = loads[at];
      return load === undefined ? 0 : (await flood({ load, subject, row }, seconds)).calls;
    }),
  );
  const calls = sumOf(floods);
  const spent = pids
    .flatMap(threadsOf)
    .map(([id, micros]) => [id, (micros - (before.get(id) ?? 0)) / calls] as const);
  const mains = spent.filter(([id]) => pids.includes(id)).map(([, micros]) => micros);
  return {
    calls,
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
