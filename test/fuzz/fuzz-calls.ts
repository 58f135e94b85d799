import { setImmediate as turn } from 'node:timers/promises';
import { type Case, caseOf, type Side } from './cases.ts';
import { faultIn, faultLeftIn } from './judge.ts';
import type { Stage } from './stage.ts';
import { longestTurn } from './turns.ts';

export interface Failure {
  readonly played: Case;
  readonly fault: string;
}

export interface Tally {
  calls: number;
  /** How many answers had which status; `none` is those that broke off. */
  readonly statuses: Map<string, number>;
  readonly failures: Failure[];
}

interface Run {
  readonly side: Side;
  readonly seed: number;
  readonly first?: number;
  /** How many calls, where it doesn't go on until the time is over. */
  readonly calls?: number;
  readonly untilMs?: number;
  /** Goes on after a failure, up to so many. */
  readonly failuresMax?: number;
  /** Is told which cases come next. */
  readonly onBatch?: (what: string) => void;
}

/** Calls that are under way at the same time. */
const atOnce = 16;
/** No call may keep all others waiting for longer. */
const heldMsMax = 200;

/** Makes hostile calls, some at a time; after each few of them the gateway must be as it was. */
export async function fuzzCalls(stage: Stage, run: Run): Promise<Tally> {
  const { side, seed, first = 0, calls = Infinity, untilMs = Infinity, failuresMax = 1, onBatch } = run;
  const tally: Tally = { calls: 0, statuses: new Map(), failures: [] };
  while (tally.calls < calls && performance.now() < untilMs && tally.failures.length < failuresMax) {
    const count = Math.min(atOnce, calls - tally.calls);
    const batch = Array.from({ length: count }, (_, at) => caseOf(side, seed, first + tally.calls + at));
    onBatch?.(`seed ${seed}, ${side}, cases ${first + tally.calls} to ${first + tally.calls + count - 1}`);
    const { failures, statuses } = await playedTogether(stage, batch);
    tally.failures.push(...failures);
    for (const status of statuses) tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    tally.calls += count;
  }
  return tally;
}

async function playedTogether(
  stage: Stage,
  batch: readonly Case[],
): Promise<{ failures: readonly Failure[]; statuses: readonly string[] }> {
  const { result: outcomes, heldMs } = await longestTurn(() =>
    Promise.all(batch.map((played) => stage.play(played))),
  );
  const own = batch.flatMap((played, at): readonly Failure[] => {
    const outcome = outcomes[at];
    const fault = outcome === undefined ? undefined : faultIn(played, outcome);
    return fault === undefined ? [] : [{ played, fault }];
  });
  const left = await faultLeftIn(stage, outcomes);
  const wasHeld = heldMs > heldMsMax;
  stage.complaints.length = 0;
  const statuses = outcomes.map(({ answered }) => String(answered?.status ?? 'none'));
  if (own.length > 0) return { failures: own, statuses };
  if (left === undefined && !wasHeld) {
    stage.logged.clear();
    return { failures: [], statuses };
  }
  const culprit = await culpritIn(stage, batch);
  if (culprit !== undefined) return { failures: [culprit], statuses };
  const [played] = batch;
  // What sixteen calls do in one turn is no fault of any of them: only what one of them does again is told.
  if (left === undefined || played === undefined) return { failures: [], statuses };
  return { failures: [{ played, fault: `one of ${batch.length} from here on: ${left}` }], statuses };
}

/** Plays them one by one, to find the one that leaves something behind or takes too long. */
async function culpritIn(stage: Stage, batch: readonly Case[]): Promise<Failure | undefined> {
  const before = await faultLeftIn(stage, []);
  for (const played of batch) {
    await turn();
    const { result: outcome, heldMs } = await longestTurn(() => stage.play(played));
    if (heldMs > heldMsMax)
      return { played, fault: `it held the event loop for ${Math.round(heldMs)} ms of the processor` };
    const left = await faultLeftIn(stage, [outcome]);
    stage.complaints.length = 0;
    if (left !== undefined && left !== before) return { played, fault: left };
  }
  return undefined;
}

/** As it is told to somebody who has to look into it. */
export function described({ played, fault }: Failure): string {
  const { side, number, client, provider, streamed, headers, path, body, answer } = played;
  const said = answer.steps.map((step) =>
    typeof step === 'number' ? '' : Buffer.from(step).toString('utf8'),
  );
  return [
    `${side} ${number}: ${client.name} to ${provider.name}, ${streamed ? 'streamed' : 'whole'} ${headers.join(' ').slice(0, 1000)}`,
    `  ${fault}`,
    `  asked: ${path.slice(0, 1000)} ${body?.slice(0, 3000) ?? ''}`,
    ...(side === 'providers' || side === 'endpoints' ? [`  said: ${said.join('').slice(0, 3000)}`] : []),
  ].join('\n');
}
