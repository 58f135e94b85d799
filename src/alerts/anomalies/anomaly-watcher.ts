import { randomUUID } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Alerts } from '../../kernel/ports/alerts.ts';
import type {
  ActiveKey,
  KeyActivities,
  KeyActivity,
  StoredKeyState,
} from '../../kernel/ports/key-activity.ts';
import type { Clock } from '../../lib/clock.ts';
import { PeriodicTask } from '../../lib/periodic-task.ts';
import { limits } from '../limits.ts';
import { dayMs, noActivity, quarterMs } from './activity.ts';
import type { PastDay } from './day-plan.ts';
import { windowMs } from './deviation.ts';
import { explain } from './explain.ts';
import { beginDay, finishQuarter, isOutdated, type KeyState, newKeyState } from './key-state.ts';
import { decodePast, decodeState, encodePast, encodeState } from './key-state-codec.ts';
import { type Finding, look } from './key-watch.ts';
import { raiseAnomaly } from './raise-anomaly.ts';

interface AnomalyWatcherParts {
  readonly activities: KeyActivities;
  readonly alerts: Alerts;
  readonly clock: Clock;
  /** The name of an API key, or its first characters. */
  keyName(accountId: string, keyId: string): Promise<string>;
  onError(error: unknown): void;
}

/** What a round knows of a key. */
interface KeyInRound extends ActiveKey {
  readonly quarters: { readonly startMs: number; readonly activity: KeyActivity }[];
  readonly halves: [KeyActivity, KeyActivity];
}

const roundMs = 300_000;
/** The row with the progress of all; accounts have other ids. */
const progressKey: ActiveKey = { accountId: '', keyId: '' };

/** Compares what keys spend, and how many of their calls fail, with their own past. Only one replica does it. */
export class AnomalyWatcher {
  readonly #parts: AnomalyWatcherParts;
  readonly #holder = randomUUID();
  readonly #rounds: PeriodicTask;
  /** The round that this process saw last. */
  #seenMs = 0;

  constructor(parts: AnomalyWatcherParts) {
    this.#parts = parts;
    this.#rounds = new PeriodicTask({
      intervalMs: limits.anomalyPollMs,
      run: () => this.#runOnce(),
      onError: parts.onError,
    });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Resolves when no round is running. */
  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Runs the round that is due, unless another replica does. */
  watch(): Promise<void> {
    return this.#rounds.run();
  }

  async #runOnce(): Promise<void> {
    const { activities, clock } = this.#parts;
    const nowMs = clock.now();
    // Calls are stored some seconds after they end.
    const endMs = Math.floor((nowMs - limits.anomalyLagMs) / roundMs) * roundMs;
    if (endMs <= this.#seenMs) return;
    if (!(await activities.acquireLease(this.#holder, nowMs, nowMs + limits.anomalyLeaseMs))) return;
    const [progress] = await activities.states([progressKey]);
    if (endMs > (progress?.savedMs ?? 0)) await this.#round(endMs, Number(progress?.state ?? 0));
    this.#seenMs = endMs;
  }

  async #round(endMs: number, learnedMs: number): Promise<void> {
    const { activities } = this.#parts;
    const keys = await this.#gather(endMs, learnedMs);
    const names = [...keys.keys()];
    for (let at = 0; at < names.length; at += limits.anomalyKeysAtOnce) {
      if (this.#rounds.signal.aborted) return;
      const some = names.slice(at, at + limits.anomalyKeysAtOnce).flatMap((name) => keys.get(name) ?? []);
      await this.#watchKeys(some, endMs);
    }
    const state = String(learnableMs(endMs));
    await activities.save([{ ...progressKey, state, past: undefined, hasIncident: false, savedMs: endMs }]);
    if (Math.floor(learnedMs / dayMs) < Math.floor(endMs / dayMs))
      await activities.clean(endMs - limits.keyStatesKeptMs);
  }

  /** Reads what keys did in the window, and in the quarters that ended a while ago: long calls are stored late. */
  async #gather(endMs: number, learnedMs: number): Promise<ReadonlyMap<string, KeyInRound>> {
    const { activities } = this.#parts;
    const keys = new Map<string, KeyInRound>();
    const keyOf = ({ accountId, keyId }: ActiveKey) => {
      const name = `${accountId}\n${keyId}`;
      const known = keys.get(name);
      if (known !== undefined) return known;
      const added: KeyInRound = { accountId, keyId, quarters: [], halves: [noActivity, noActivity] };
      keys.set(name, added);
      return added;
    };
    const most = limits.anomalyRowsMax;
    const untilMs = learnableMs(endMs);
    const fromMs = Math.max(learnedMs, untilMs - limits.anomalyCatchUpMs);
    for (let startMs = fromMs; startMs < untilMs; startMs += quarterMs) {
      const query = { fromMs: startMs, toMs: startMs + quarterMs, partMs: quarterMs, most };
      for (const { activity, ...key } of await activities.sums(query))
        keyOf(key).quarters.push({ startMs, activity });
    }
    const query = { fromMs: endMs - windowMs, toMs: endMs, partMs: windowMs / 2, most };
    for (const { part, activity, ...key } of await activities.sums(query))
      keyOf(key).halves[part === 0 ? 0 : 1] = activity;
    for (const key of await activities.withIncident(most)) keyOf(key);
    return keys;
  }

  async #watchKeys(keys: readonly KeyInRound[], endMs: number): Promise<void> {
    const { activities } = this.#parts;
    const stored = new Map((await activities.states(keys)).map((one) => [nameOf(one), one]));
    const states = keys.map((key) => {
      const json = stored.get(nameOf(key))?.state;
      const firstMs = key.quarters[0]?.startMs ?? endMs - windowMs;
      return {
        key,
        json,
        state: (json === undefined ? undefined : decodeState(json)) ?? newKeyState(firstMs),
      };
    });
    const needPast = states.filter(({ key, state }) => beginsDay(state, key, endMs)).map(({ key }) => key);
    const pasts = new Map(
      needPast.length === 0
        ? []
        : (await activities.pasts(needPast)).map((one) => [nameOf(one), decodePast(one.past)]),
    );
    const changed: StoredKeyState[] = [];
    for (const { key, json, state } of states) {
      const past = pasts.get(nameOf(key)) ?? [];
      const { findings, past: pastNow } = watchKey(state, key, past, endMs);
      for (const finding of findings) await this.#raise(key, finding, endMs);
      const after = encodeState(state);
      if (after === json) continue;
      changed.push({
        ...{ accountId: key.accountId, keyId: key.keyId, state: after },
        past: pastNow === past ? undefined : encodePast(pastNow),
        hasIncident: Object.keys(state.incidents).length > 0,
        savedMs: endMs,
      });
    }
    await activities.save(changed);
    await yieldToOthers();
  }

  async #raise(key: ActiveKey, finding: Finding, endMs: number): Promise<void> {
    const { activities, alerts, keyName } = this.#parts;
    const { accountId, keyId } = key;
    const windowFromMs = endMs - windowMs;
    const partMs = roundMs;
    const query = {
      fromMs: windowFromMs - limits.anomalyBeforeMs,
      toMs: endMs,
      partMs,
      most: limits.anomalyPartsMax,
    };
    const { measure, value, expected, incident } = finding;
    const isNew = finding.kind === 'detected';
    const parts = isNew ? await activities.parts(key, query) : [];
    const { sinceMs, drivers } = isNew
      ? explain({ measure, parts, windowFromMs, partMs, endMs, value, expected })
      : { sinceMs: incident.sinceMs, drivers: [] };
    incident.sinceMs = sinceMs;
    const name = keyId === '' ? '' : await keyName(accountId, keyId).catch(() => keyId);
    raiseAnomaly(alerts, { accountId, keyId, keyName: name, finding, drivers, atMs: endMs });
  }
}

/** The end of the last quarter of an hour that ended long enough ago. */
function learnableMs(endMs: number): number {
  return Math.floor(endMs / quarterMs - 1) * quarterMs;
}

function nameOf({ accountId, keyId }: ActiveKey): string {
  return `${accountId}\n${keyId}`;
}

function beginsDay(state: KeyState, { quarters }: KeyInRound, endMs: number): boolean {
  const last = quarters.at(-1)?.startMs ?? 0;
  return isOutdated(state, endMs) || isLaterDay(state, last);
}

function watchKey(
  state: KeyState,
  { quarters, halves }: KeyInRound,
  past: readonly PastDay[],
  endMs: number,
) {
  let pastNow = past;
  for (const { startMs, activity } of quarters) {
    pastNow = beginDay(state, pastNow, startMs);
    finishQuarter(state, startMs, activity);
  }
  if (isOutdated(state, endMs)) pastNow = beginDay(state, pastNow, endMs);
  return { findings: look(state, halves, endMs), past: pastNow };
}

function isLaterDay({ day }: KeyState, atMs: number): boolean {
  return Math.floor(atMs / dayMs) > day;
}
