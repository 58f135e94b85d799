import { addActivity, type Measure, noActivity } from '../../../src/alerts/anomalies/activity.ts';
import type { PastDay } from '../../../src/alerts/anomalies/day-plan.ts';
import {
  beginDay,
  finishQuarter,
  isOutdated,
  type KeyState,
  newKeyState,
} from '../../../src/alerts/anomalies/key-state.ts';
import { type Finding, look } from '../../../src/alerts/anomalies/key-watch.ts';
import type { KeyActivity } from '../../../src/kernel/ports/key-activity.ts';

export const binMs = 300_000;

/** Gives the bins of a key to the detector as the gateway does. */
export class WatchedKey {
  #state: KeyState | undefined;
  #past: readonly PastDay[] = [];
  readonly #latest: KeyActivity[] = [];

  hasIncident(measure: Measure): boolean {
    return this.#state?.incidents[measure] !== undefined;
  }

  /** The same, to be continued in another way. */
  clone(): WatchedKey {
    const copy = new WatchedKey();
    copy.#state = structuredClone(this.#state);
    copy.#past = this.#past;
    copy.#latest.push(...this.#latest);
    return copy;
  }

  /** Takes the bin that ended at a time. */
  add(activity: KeyActivity | undefined, endMs: number): readonly Finding[] {
    this.#latest.push(activity ?? noActivity);
    if (this.#latest.length > 6) this.#latest.shift();
    if (this.#state === undefined) {
      if (activity === undefined) return [];
      this.#state = newKeyState(endMs - binMs);
    }
    const state = this.#state;
    const [one = noActivity, two = noActivity, three = noActivity, four = noActivity] =
      this.#latest.slice(-4);
    if (endMs % 900_000 === 0 && this.#latest.length === 6) {
      const quarter = this.#latest.slice(0, 3).reduce(addActivity);
      if (quarter.calls > 0) {
        this.#past = beginDay(state, this.#past, endMs - 1_800_000);
        finishQuarter(state, endMs - 1_800_000, quarter);
      }
    }
    const isActive = [one, two, three, four].some(({ calls }) => calls > 0);
    if (!isActive && Object.keys(state.incidents).length === 0) return [];
    if (isOutdated(state, endMs)) this.#past = beginDay(state, this.#past, endMs);
    return look(state, [addActivity(one, two), addActivity(three, four)], endMs);
  }
}
