import { flood, type Trial } from './measure.ts';
import { rowNamed } from './rows.ts';
import type { Subject } from './subjects.ts';

/** A slow subject isn't given longer than this for the first calls, nor for those of another kind. */
const baseSecondsMax = 12;
const rowSecondsMax = 2;
const firstSecondsMax = 300;
const stepSeconds = 0.5;
const baseRow = rowNamed('relay-1kb');

/** The compiler goes on optimising for tens of thousands of calls; what is common to the rows is warm after the first. */
export class WarmUp {
  readonly #calls: number;
  readonly #warm = new Set<Subject['child']>();

  constructor(calls: number) {
    this.#calls = calls;
  }

  /** By plain calls, once for each process, and then by calls of the kind that is to be measured. */
  async for({ load, subject, row }: Trial): Promise<void> {
    // Every account is looked up once.
    if (subject.keys !== undefined)
      await floodUntil({ load, subject, row }, subject.keys.length, firstSecondsMax);
    if (!this.#warm.has(subject.child))
      await floodUntil({ load, subject, row: baseRow }, this.#calls, baseSecondsMax);
    this.#warm.add(subject.child);
    if (row !== baseRow) await floodUntil({ load, subject, row }, this.#calls / 3, rowSecondsMax);
  }
}

async function floodUntil(trial: Trial, callsWanted: number, secondsMax: number): Promise<void> {
  const endsMs = performance.now() + secondsMax * 1000;
  let calls = 0;
  while (calls < callsWanted && performance.now() < endsMs) calls += (await flood(trial, stepSeconds)).calls;
}
