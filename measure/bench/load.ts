import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { HeldStreams } from './held-streams.ts';
import { type HoldPlan, holdPlan, type Measurement, type Plan, plan, release } from './messages.ts';
import { rowNamed } from './rows.ts';
import { send } from './send.ts';
import { quantile } from './statistics.ts';

/** The load generator: a process that keeps calls under way and times each. */
const pools = new Map<string, Pool>();
/** Runs continue with the next key. */
let callsWithKeys = 0;
/** Calls of each session so far. */
const places = new Map<string, number>();
let streams: HeldStreams | undefined;
process.on('message', async (message: unknown) => {
  const run = plan.safeParse(message).data;
  const hold = holdPlan.safeParse(message).data;
  if (run !== undefined) process.send?.(await callAll(run, poolFor(run)));
  else if (hold !== undefined) await open(hold);
  else if (release.safeParse(message).success) await letGo();
});
process.send?.({ kind: 'ready', port: 0 });

async function open({ row, origin, headers, streams: count }: HoldPlan): Promise<void> {
  const pool = new Pool(origin, { connections: count, bodyTimeout: 0 });
  streams = new HeldStreams(pool, { ...rowNamed(row).call, headers }, count);
  await streams.opened;
  process.send?.({ kind: 'held', ...streams.progress });
}

async function letGo(): Promise<void> {
  process.send?.({ kind: 'held', ...streams?.progress });
  await streams?.release();
  streams = undefined;
}

/** Kept between runs, so that a measured run doesn't pay for connecting. */
function poolFor({ origin, concurrency }: Plan): Pool {
  const key = `${origin} ${concurrency}`;
  const known = pools.get(key);
  if (known !== undefined) return known;
  const pool = new Pool(origin, { connections: concurrency });
  pools.set(key, pool);
  return pool;
}

async function callAll(wanted: Plan, pool: Pool): Promise<Measurement> {
  const { row, origin, headers, concurrency, seconds, perSecond, keys } = wanted;
  const { call, calmCall = call, callAt } = rowNamed(row);
  const sent = { ...(perSecond === 0 ? call : calmCall), headers };
  const nextCall = () => {
    if (callAt !== undefined) {
      const session = `${row} ${origin}`;
      const place = places.get(session) ?? 0;
      places.set(session, place + 1);
      return { ...callAt(session, place), headers };
    }
    const key = keys[callsWithKeys++ % keys.length];
    return key === undefined ? sent : { ...sent, headers: { ...headers, authorization: `Bearer ${key}` } };
  };
  const latencies: number[] = [];
  const firstTokens: number[] = [];
  const failures: string[] = [];
  let answerBytes = 0;
  const startedMs = performance.now();
  const endsMs = startedMs + seconds * 1000;
  const everyMs = perSecond === 0 ? 0 : (concurrency * 1000) / perSecond;
  const caller = async (_: unknown, index: number): Promise<void> => {
    // Callers that pause take turns: all at once would wait for each other.
    let nextMs = startedMs + (index * everyMs) / concurrency;
    do {
      if (everyMs > 0) await wait(Math.max(0, nextMs - performance.now()));
      nextMs = Math.max(nextMs + everyMs, performance.now());
      const sentMs = performance.now();
      const { firstTokenAtMs, bytes, failure } = await send(pool, nextCall());
      const endedMs = performance.now();
      latencies.push(endedMs - sentMs);
      firstTokens.push((firstTokenAtMs ?? endedMs) - sentMs);
      answerBytes += bytes;
      if (failure !== undefined) failures.push(failure);
    } while (performance.now() < endsMs && failures.length < 100);
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  return {
    kind: 'measured',
    calls: latencies.length,
    seconds: (performance.now() - startedMs) / 1000,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    firstTokenMs: quantile(firstTokens, 0.5),
    answerBytes: answerBytes / latencies.length,
    failures: failures.length,
    firstFailure: failures[0] ?? '',
  };
}
