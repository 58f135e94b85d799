// A gateway in a process of its own, which tells how much of the processor a call took.
// It is started with an IPC channel and takes three messages: `begin` and `end` around a call, and `reference`.
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestGateway } from '../../src/testing/test-gateway.ts';

/** What the calls between two messages took. */
export interface Measured {
  /** Milliseconds of the processor, all threads together. */
  readonly cpuMs: number;
  /** The longest turn of the event loop, in milliseconds in which its thread had the processor. */
  readonly heldMs: number;
}

const weir = await startTestGateway(JSON.parse(process.argv[2] ?? '{}'));
let longestMs = 0;
let turn = process.threadCpuUsage();
let before = process.cpuUsage();
let watching: NodeJS.Timeout | undefined;

const answers: Readonly<Record<string, () => unknown>> = {
  begin,
  end,
  reference: () => process.send?.({ referenceMs: referenceMs() }),
};
process.on('message', (message) => void answers[String(message)]?.());
process.on('disconnect', () => void weir.close().then(() => process.exit()));
process.send?.({ url: weir.url, referenceMs: referenceMs() });

/** How long work takes here that is always the same. */
function referenceMs(): number {
  const json = JSON.stringify(
    Array.from({ length: 20_000 }, (_, at) => ({ at, text: `Turn ${at} of the talk` })),
  );
  const times = Array.from({ length: 10 }, () => {
    const start = process.threadCpuUsage();
    JSON.parse(json);
    return milliseconds(process.threadCpuUsage(start));
  });
  return Math.min(...times);
}

function begin(): void {
  longestMs = 0;
  turn = process.threadCpuUsage();
  before = process.cpuUsage();
  watching = setInterval(look, 1);
}

function look(): void {
  longestMs = Math.max(longestMs, milliseconds(process.threadCpuUsage(turn)));
  turn = process.threadCpuUsage();
}

async function end(): Promise<void> {
  const waiting = /^weir_(?:afterwork_waiting|open_calls)(?:\{.*\})? [^0]/m;
  while (waiting.test(weir.gateway.metrics())) await sleep(1);
  look();
  clearInterval(watching);
  const measured: Measured = { cpuMs: milliseconds(process.cpuUsage(before)), heldMs: longestMs };
  process.send?.(measured);
}

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}
