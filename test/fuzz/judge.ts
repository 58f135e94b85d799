import { setTimeout as sleep } from 'node:timers/promises';
import type { Case } from './cases.ts';
import type { Outcome, Stage } from './stage.ts';

/** What must be none once every call has ended. */
const leftovers = [
  'weir_open_calls',
  'weir_open_streams',
  'weir_lingering_calls',
  'weir_quota_open',
  'weir_open_holds',
  'weir_orphaned_slots',
  'weir_orphaned_holds',
  'weir_settling_faults_total',
  'weir_form_disk_bytes',
];

/** How long what a call left behind may take to go; far more than it does. */
const goneMsMax = 30_000;

/** Why the answer to a case can't be right; undefined where it can. */
export function faultIn(
  { client, provider, headers, streamed, body, answer }: Case,
  outcome: Outcome,
): string | undefined {
  const { answered, requestId } = outcome;
  if (!/^req_/.test(requestId)) return 'an answer without an id';
  if (answered === undefined) return undefined;
  const { status, text, bytes } = answered;
  if (text.includes('something went wrong in the gateway'))
    return `an internal error: ${status} ${text.slice(-500)}`;
  if (text.includes('module_broken')) return `a broken module: ${status} ${text.slice(-500)}`;
  if (status >= 500 && !outcome.wasAsked)
    return `${status}, though no provider was asked: ${text.slice(0, 500)}`;
  // One change of a body can make it ask for a stream.
  const asksWhole = !streamed && !/"stream"\s*:\s*true/.test(body ?? '');
  const isRelayed = client === provider && status === 200 && asksWhole && headers.length === 0;
  if (isRelayed && outcome.wasAsked && answer.body !== undefined && !bytes.equals(answer.body))
    return `other bytes than the provider's: ${text.slice(0, 500)}`;
  return undefined;
}

/** Why the gateway isn't as it was before its calls; undefined where it is. */
export async function faultLeftIn(stage: Stage, outcomes: readonly Outcome[]): Promise<string | undefined> {
  const until = performance.now() + goneMsMax;
  for (;;) {
    const fault = leftIn(stage, outcomes);
    if (fault === undefined || performance.now() > until) return fault;
    await sleep(5);
  }
}

function leftIn(stage: Stage, outcomes: readonly Outcome[]): string | undefined {
  const [complaint] = stage.complaints;
  if (complaint !== undefined) return `the log complains: ${complaint}`;
  for (const name of leftovers) {
    const left = stage.figure(name);
    if (left !== 0) return `${name} is ${left}`;
  }
  if (stage.provider.connections > 0) return `${stage.provider.connections} connections are open`;
  const untold = outcomes.find(({ wasAsked, requestId }) => wasAsked && !stage.logged.has(requestId));
  return untold === undefined ? undefined : `${untold.requestId} is not in the log`;
}
