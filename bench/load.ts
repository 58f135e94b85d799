import { Pool } from 'undici';
import { type Measured, type Plan, plan } from './messages.ts';
import { type Row, rowNamed } from './rows.ts';
import { quantile } from './statistics.ts';

/** The load generator: a process that keeps a fixed number of requests under way and times each. */
const pools = new Map<string, Pool>();
process.on('message', async (message: unknown) => {
  const wanted = plan.safeParse(message);
  if (wanted.success) process.send?.(await run(wanted.data, poolFor(wanted.data)));
});
process.send?.({ kind: 'ready', port: 0 });

/** Kept between runs, so that a measured run doesn't pay for connecting. */
function poolFor({ origin, concurrency }: Plan): Pool {
  const key = `${origin} ${concurrency}`;
  const known = pools.get(key);
  if (known !== undefined) return known;
  const pool = new Pool(origin, { connections: concurrency });
  pools.set(key, pool);
  return pool;
}

async function run({ row: name, concurrency, seconds }: Plan, pool: Pool): Promise<Measured> {
  const row = rowNamed(name);
  const latencies: number[] = [];
  const failures: string[] = [];
  let answerBytes = 0;
  const startedMs = performance.now();
  const endsMs = startedMs + seconds * 1000;
  const caller = async (): Promise<void> => {
    do {
      const sentMs = performance.now();
      const { failure, bytes } = await call(row, pool);
      latencies.push(performance.now() - sentMs);
      answerBytes += bytes;
      if (failure !== undefined) failures.push(failure);
    } while (performance.now() < endsMs && failures.length < 100);
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  return {
    kind: 'measured',
    requests: latencies.length,
    seconds: (performance.now() - startedMs) / 1000,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    answerBytes: answerBytes / latencies.length,
    failures: failures.length,
    firstFailure: failures[0] ?? '',
  };
}

interface Outcome {
  readonly bytes: number;
  readonly failure: string | undefined;
}

function call(row: Row, pool: Pool): Promise<Outcome> {
  const headers = {
    'content-type': 'application/json',
    authorization: 'Bearer anything',
    'anthropic-version': '2023-06-01',
  };
  return new Promise((resolve) => {
    let status = 0;
    let bytes = 0;
    let refusal = '';
    pool.dispatch(
      { path: row.path, method: 'POST', headers, body: row.body },
      {
        onRequestStart() {},
        onResponseStart(_controller, statusCode) {
          status = statusCode;
        },
        onResponseData(_controller, chunk) {
          bytes += chunk.length;
          if (status !== 200) refusal = `${refusal}${chunk}`.slice(0, 300);
        },
        onResponseEnd() {
          resolve({ bytes, failure: status === 200 ? undefined : `${status} ${refusal}` });
        },
        onResponseError(_controller, error) {
          resolve({ bytes, failure: String(error) });
        },
      },
    );
  });
}
