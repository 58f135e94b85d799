import type { Child } from './child.ts';
import { measured, usage } from './messages.ts';

/** Who answers: the process under test, or the upstream itself, whose own use is of no interest. */
export interface Target {
  readonly name: 'direct' | 'bare' | 'weir';
  readonly origin: string;
  readonly child: Child | undefined;
}

export interface Sample {
  readonly cpuMicros: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly rssBytes: number;
  readonly answerBytes: number;
}

export interface Run {
  readonly row: string;
  readonly seconds: number;
  readonly concurrency: number;
}

/** One run of load on one target; an error instead of a number where any request failed. */
export async function measure(load: Child, target: Target, run: Run): Promise<Sample> {
  const before = await target.child?.ask({ kind: 'usage' }, usage);
  const result = await load.ask({ kind: 'run', origin: target.origin, ...run }, measured);
  const after = await target.child?.ask({ kind: 'usage' }, usage);
  if (result.failures > 0) {
    throw new Error(`${target.name}, ${run.row}: ${result.failures} requests failed: ${result.firstFailure}`);
  }
  return {
    cpuMicros: ((after?.cpuMicros ?? Number.NaN) - (before?.cpuMicros ?? Number.NaN)) / result.requests,
    perSecond: result.requests / result.seconds,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    rssBytes: after?.rssBytes ?? Number.NaN,
    answerBytes: result.answerBytes,
  };
}
