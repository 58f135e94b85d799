import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Child, startServer } from './child.ts';
import { endOnSignals } from './end-on-signals.ts';
import { held, type Usage, usage } from './messages.ts';
import { numberOption } from './number-option.ts';
import { quantile } from './statistics.ts';
import { startWeir } from './weir.ts';

/** Holds many slow streams through the gateway and fails where its memory grows: `node bin/run.js measure/bench/streams.ts`. */
const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '20' },
    'max-growth-mb': { type: 'string', default: '16' },
  },
});
const streams = numberOption('streams', values.streams);
const seconds = numberOption('seconds', values.seconds);
const maxGrowthMb = numberOption('max-growth-mb', values['max-growth-mb']);
/** Compiling the path that the events take is not growth. */
const settleSeconds = 3;
endOnSignals();

const samples = await hold();
for (const [name, pick] of [
  ['RSS', (sample: Usage) => sample.rssBytes],
  ['heap', (sample: Usage) => sample.heapBytes],
] as const) {
  const growthMb = growth(samples.map(pick)) / 2 ** 20;
  const flat = growthMb <= maxGrowthMb;
  console.log(
    `${name}: ${growthMb.toFixed(1)} MB from the first third to the last; at most ${maxGrowthMb}: ${flat ? 'ok' : 'TOO MUCH'}`,
  );
  if (!flat) process.exitCode = 1;
}

async function hold(): Promise<readonly Usage[]> {
  await using children = new AsyncDisposableStack();
  const file = (name: string): string => join(import.meta.dirname, name);
  const upstream = await startServer({ file: file('upstream.ts'), args: [] });
  children.use(upstream.child);
  const load = await startServer({ file: file('load.ts'), args: [] });
  children.use(load.child);
  const weir = children.use(
    await startWeir({
      upstream: `http://127.0.0.1:${upstream.port}`,
      environment: { WEIR_PIPELINE: 'none' },
      nodeOptions: ['--expose-gc'],
    }),
  );
  await load.child.ask({ kind: 'hold', row: 'open-1000', origin: weir.origin, headers: {}, streams }, held);
  const taken = await sampled(weir.child);
  const { failures } = await load.child.ask({ kind: 'release' }, held);
  if (failures > 0) throw new Error(`${failures} of ${streams} streams failed`);
  return taken;
}

async function sampled(gateway: Child): Promise<readonly Usage[]> {
  const startedMs = performance.now();
  const taken: Usage[] = [];
  await wait(settleSeconds * 1000);
  while (performance.now() - startedMs < seconds * 1000) {
    const sample = await gateway.ask({ kind: 'usage', collect: true }, usage);
    const second = ((performance.now() - startedMs) / 1000).toFixed(0).padStart(3);
    console.log(`${second} s  RSS ${megabytes(sample.rssBytes)} MB  heap ${megabytes(sample.heapBytes)} MB`);
    taken.push(sample);
    await wait(1000);
  }
  if (taken.length < 6) throw new Error('too few samples to compare thirds: use more --seconds');
  return taken;
}

function growth(values: readonly number[]): number {
  const third = Math.floor(values.length / 3);
  return quantile(values.slice(-third), 0.5) - quantile(values.slice(0, third), 0.5);
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1).padStart(6);
}
