// Hostile clients and providers before a gateway in this process: npm run fuzz -- --minutes 3 --seed 1
// One case again: npm run fuzz -- --seed 1 --side providers --case 712

import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Side, sides } from '../test/fuzz/cases.ts';
import { FreezeWatch } from '../test/fuzz/freeze-watch.ts';
import { fuzzCallSockets } from '../test/fuzz/fuzz-call-sockets.ts';
import { described, fuzzCalls, type Tally } from '../test/fuzz/fuzz-calls.ts';
import { type CodecTally, fuzzAnswers, fuzzRequests } from '../test/fuzz/fuzz-codecs.ts';
import { fuzzProviderSockets } from '../test/fuzz/fuzz-provider-sockets.ts';
import { fuzzWebSockets } from '../test/fuzz/fuzz-web-sockets.ts';
import { fuzzWithAccounts } from '../test/fuzz/people.ts';
import { Stage } from '../test/fuzz/stage.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    side: { type: 'string' },
    case: { type: 'string' },
    /** How many are told before it gives up. */
    failures: { type: 'string', default: '1' },
  },
});
const seed = Number(values.seed);
const failuresMax = Number(values.failures);
/** What stays in memory after all calls, at most: caches fill, and code is compiled. */
const grownBytesMax = 48 * 1024 * 1024;
let failed = 0;

console.log(`seed ${seed}`);
process.on('unhandledRejection', (cause) => fail(`a rejection that nobody handled: ${String(cause)}`));
const people = 40;
const stage = await Stage.start(people);
const watch = new FreezeWatch();
const onBatch = (what: string) => watch.note(what);
try {
  if (values.case === undefined) await everything(Number(values.minutes) * 60_000);
  else await again(sides.find((side) => side === values.side) ?? 'providers', Number(values.case));
} finally {
  await stage.close();
  await watch.close();
}
console.log(`${failed} failures`);
process.exitCode = failed === 0 ? 0 : 1;

/** As much time each for clients, providers, texts, endpoints, own routes, WebSockets, calls over WebSockets, and codecs alone. */
async function everything(ms: number): Promise<void> {
  const share = ms / 8;
  await warmUp();
  const before = heldBytes();
  for (const side of sides) {
    const untilMs = performance.now() + share;
    tell(side, await fuzzCalls(stage, { side, seed, untilMs, failuresMax, onBatch }));
  }
  const grown = heldBytes() - before;
  console.log(`memory: ${(grown / 1e6).toFixed(1)} MB more than before`);
  if (grown > grownBytesMax) fail(`the calls left ${grown} bytes in memory`);
  watch.note('own routes');
  console.log(
    `own routes: ${await fuzzWithAccounts(stage.gateway.url, { ms: share, seed }).catch(fail)} calls`,
  );
  watch.note('WebSockets');
  for (const implementation of ['own', 'node'] as const)
    console.log(
      `WebSockets (${implementation}): ${await fuzzWebSockets(implementation, { ms: share / 2, seed }).catch(fail)} connections`,
    );
  watch.note('calls over WebSockets');
  console.log(`calls over WebSockets: ${await fuzzCallSockets({ ms: share, seed }).catch(fail)} messages`);
  watch.note('providers over WebSockets');
  console.log(
    `providers over WebSockets: ${await fuzzProviderSockets({ ms: share, seed }).catch(fail)} calls`,
  );
  watch.note('codecs');
  const untilMs = performance.now() + share;
  // Every step-th, each time from another place, until all were tried or the time is over.
  const step = 50;
  for (const [what, fuzz] of Object.entries({ requests: fuzzRequests, answers: fuzzAnswers })) {
    const until = what === 'requests' ? (performance.now() + untilMs) / 2 : untilMs;
    const tallies: CodecTally[] = [];
    for (let at = 0; at < step && performance.now() < until; at++) {
      tallies.push(fuzz(step, (seed + at) % step));
      // A round takes seconds. The event loop turns in between, so that the watch sees one that is frozen alone.
      await setImmediate();
    }
    const tried = tallies.reduce((sum, one) => sum + one.tried, 0);
    console.log(`${what} with one thing wrong: ${tried} tried, ${tallies.length} of ${step} rounds`);
    for (const failure of tallies.flatMap(({ failures }) => failures).slice(0, failuresMax)) fail(failure);
  }
}

async function again(side: Side, first: number): Promise<void> {
  tell(side, await fuzzCalls(stage, { side, seed, first, calls: 1, onBatch }));
}

async function warmUp(): Promise<void> {
  for (const side of sides)
    tell(
      `${side}, to begin with`,
      await fuzzCalls(stage, { side, seed: seed + 1, calls: 320, failuresMax, onBatch }),
    );
}

function tell(what: string, { calls, statuses, failures }: Tally): void {
  const counts = [...statuses].sort(([one], [other]) => one.localeCompare(other));
  console.log(
    `${what}: ${calls} calls; ${counts.map(([status, count]) => `${status}: ${count}`).join(', ')}`,
  );
  for (const failure of failures) fail(described(failure));
}

function fail(failure: unknown): void {
  failed++;
  console.log(`FAIL ${failure instanceof Error ? failure.stack : String(failure)}`);
}

function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
  return process.memoryUsage().heapUsed;
}
