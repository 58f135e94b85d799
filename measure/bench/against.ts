// `npm run bench:against -- <folder>`: what a call costs here and in another checkout, by turns in one run.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { byTurns } from './by-turns.ts';
import { startServer } from './child.ts';
import { signUp, startCloud } from './cloud.ts';
import { endOnSignals } from './end-on-signals.ts';
import { flood, usageOf } from './measure.ts';
import { usage } from './messages.ts';
import { numberOption } from './number-option.ts';
import { rowNamed } from './rows.ts';
import { quantile, spreadOf } from './statistics.ts';
import { bearer, type Subject, startOwn } from './subjects.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string', default: 'relay-1kb,relay-1mb,stream-500,cache-hit' },
    rounds: { type: 'string', default: '21' },
    seconds: { type: 'string', default: '1' },
    /** A pipeline for the calls here; those there have none. */
    pipeline: { type: 'string' },
    /** The calls here are exported to a collector of OpenTelemetry; with `.` as the folder, the difference is what that costs. */
    export: { type: 'boolean', default: false },
  },
});
const [other] = positionals;
if (other === undefined)
  throw new Error('name the folder of the other checkout, with its packages installed');
const rounds = numberOption('rounds', values.rounds);
const seconds = numberOption('seconds', values.seconds);

endOnSignals();
await using children = new AsyncDisposableStack();
const load = children.use(
  (await startServer({ file: join(import.meta.dirname, 'load.ts'), args: [] })).child,
);
const provider = children.use(await startOwn('upstream.ts'));
/** The provider accepts exports, too. */
const exporting = { OTEL_EXPORTER_OTLP_ENDPOINT: provider.origin };

console.log(`CPU time a call, µs, medians of ${rounds} rounds; here ${root()}, there ${resolve(other)}`);
for (const row of values.rows.split(',').map(rowNamed)) {
  const pipeline = row.name === 'cache-hit' ? 'exact-cache' : null;
  await using gateways = new AsyncDisposableStack();
  const [here, there] = [
    gateways.use(await subject(root(), values.pipeline ?? pipeline, values.export ? exporting : {})),
    gateways.use(await subject(resolve(other), pipeline)),
  ];
  const cpuMicros = async (one: Subject): Promise<number> => {
    const before = await usageOf(one);
    const { calls } = await flood({ load, subject: one, row }, seconds);
    return ((await usageOf(one)).cpuMicros - before.cpuMicros) / calls;
  };
  for (let warmUps = 0; warmUps < 5; warmUps++) await byTurns([here, there], 1, cpuMicros);
  const turns = await byTurns([here, there], rounds, cpuMicros);
  const [ours, theirs] = [turns.get(here) ?? [], turns.get(there) ?? []];
  const ratio = spreadOf(ours.map((micros, round) => micros / (theirs[round] ?? Number.NaN)));
  const memory = await Promise.all([here, there].map(async (one) => (await usageOf(one)).rssBytes / 1e6));
  console.log(
    `${row.name.padEnd(14)} here ${spreadOf(ours).median.toFixed(1)}, there ${spreadOf(theirs).median.toFixed(1)}: ` +
      `${ratio.median.toFixed(3)} (${ratio.lowest.toFixed(3)}–${ratio.highest.toFixed(3)}), ` +
      `by their lowest tenths ${(quantile(ours, 0.1) / quantile(theirs, 0.1)).toFixed(3)}, ` +
      `RSS ${memory.map((megabytes) => megabytes.toFixed(0)).join(' and ')} MB`,
  );
}

function root(): string {
  return join(import.meta.dirname, '..', '..');
}

/** A gateway of that checkout in cloud mode, with a key that runs this pipeline. */
async function subject(
  folder: string,
  pipeline: string | null,
  environment: Readonly<Record<string, string>> = {},
): Promise<Subject & AsyncDisposable> {
  const gateway = await startCloud({ upstream: provider.origin, folder, environment });
  const { rssBytes: restBytes } = await gateway.child.ask({ kind: 'usage' }, usage);
  const makeKey = await signUp(gateway.origin, 'bench');
  const headersFor = bearer(await makeKey(pipeline));
  return { ...gateway, name: 'weir, key', headersFor, restBytes };
}
