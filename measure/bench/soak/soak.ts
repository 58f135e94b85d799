import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import { startServer } from '../child.ts';
import { signUp, startCloud } from '../cloud.ts';
import { usage } from '../messages.ts';
import type { Gateway } from '../weir.ts';
import { readGauges } from './gauges.ts';
import { type SoakPlan, traffic } from './messages.ts';

export interface Sample {
  readonly minute: number;
  readonly rssBytes: number;
  /** After what nobody holds was collected. */
  readonly heapBytes: number;
  readonly gauges: ReadonlyMap<string, number>;
}

export interface SoakResult {
  readonly samples: readonly Sample[];
  readonly done: z.infer<typeof traffic>;
  /** Calls that are still open some time after the last client is gone. */
  readonly openAfter: number;
}

export interface SoakOptions {
  readonly minutes: number;
  readonly callers: number;
  readonly onSample: (sample: Sample) => void;
}

const sampleMs = 3000;
/** More than any call takes to end once its client has left. */
const endingMsMax = 10_000;

/** One gateway with accounts on its embedded store, under traffic of all sorts. */
export async function soak({ minutes, callers, onSample }: SoakOptions): Promise<SoakResult> {
  await using children = new AsyncDisposableStack();
  const upstream = await startServer({ file: join(import.meta.dirname, '..', 'upstream.ts'), args: [] });
  children.use(upstream.child);
  const { child: load } = await startServer({ file: join(import.meta.dirname, 'load.ts'), args: [] });
  children.use(load);
  const cloud = children.use(
    await startCloud({ upstream: `http://127.0.0.1:${upstream.port}`, nodeOptions: ['--expose-gc'] }),
  );
  const plan: SoakPlan = { kind: 'soak', origin: cloud.origin, callers: await people(cloud.origin, callers) };
  await load.ask(plan, traffic);
  const samples: Sample[] = [];
  const startedMs = performance.now();
  const minuteNow = (): number => (performance.now() - startedMs) / 60_000;
  while (minuteNow() < minutes) {
    await wait(sampleMs);
    const sample = await takeSample(cloud, minuteNow());
    samples.push(sample);
    onSample(sample);
  }
  const done = await load.ask({ kind: 'halt' }, traffic);
  return { samples, done, openAfter: await openCallsAfter(cloud) };
}

/** Each caller is an account of its own: one whose calls fail too often is refused for a while. */
async function people(origin: string, count: number): Promise<SoakPlan['callers']> {
  const keys = [];
  for (let person = 1; person <= count; person += 1) {
    const makeKey = await signUp(origin, `person${person}`);
    keys.push({ plain: await makeKey(null), cached: await makeKey('exact-cache?ttl=20s') });
  }
  return keys;
}

async function takeSample({ child, origin }: Gateway, minute: number): Promise<Sample> {
  const { rssBytes, heapBytes } = await child.ask({ kind: 'usage', collect: true }, usage);
  return { minute, rssBytes, heapBytes, gauges: await readGauges(origin) };
}

async function openCallsAfter({ origin }: Gateway): Promise<number> {
  const untilMs = performance.now() + endingMsMax;
  for (;;) {
    const open = (await readGauges(origin)).get('weir_open_calls') ?? Number.NaN;
    if (open === 0 || performance.now() > untilMs) return open;
    await wait(100);
  }
}
