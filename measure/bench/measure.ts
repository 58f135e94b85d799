import type { Child } from './child.ts';
import { type Measurement, measured, type Plan, type Usage, usage } from './messages.ts';
import type { Row } from './rows.ts';
import type { Subject } from './subjects.ts';

/** Who sends what to whom. */
export interface Trial {
  readonly load: Child;
  readonly subject: Subject;
  readonly row: Row;
}

/** Enough that one slow call doesn't hold up the next. */
const calmConcurrency = 4;

/** As many calls as the subject can take, which shows what each costs it. */
export function flood(trial: Trial, seconds: number): Promise<Measurement> {
  return run(trial, { concurrency: trial.row.floodConcurrency, seconds, perSecond: 0 });
}

/** A few calls a second, the same number for every subject: its own latency, not that of a queue. */
export function calm(trial: Trial, seconds: number): Promise<Measurement> {
  return run(trial, { concurrency: calmConcurrency, seconds, perSecond: trial.row.calmPerSecond });
}

export function usageOf({ child }: Subject): Promise<Usage> {
  return child.ask({ kind: 'usage' }, usage);
}

/** An error instead of a number where any call failed. */
async function run(
  { load, subject, row }: Trial,
  pace: Pick<Plan, 'concurrency' | 'seconds' | 'perSecond'>,
): Promise<Measurement> {
  const headers = subject.headersFor(row.format);
  const plan: Plan = {
    kind: 'run',
    row: row.name,
    origin: subject.origin,
    headers,
    keys: [...(subject.keys ?? [])],
    ...pace,
  };
  const result = await load.ask(plan, measured);
  if (result.failures > 0)
    throw new Error(`${subject.name}, ${row.name}: ${result.failures} calls failed: ${result.firstFailure}`);
  return result;
}
