import type { KeyActivity } from '../../kernel/ports/key-activity.ts';
import { addActivity, dayMs, type Measure, measures, quarterMs } from './activity.ts';
import { deviationOf, windowMs } from './deviation.ts';
import type { Incident, KeyState } from './key-state.ts';

/** Less than this is no alert, however steady a key is. */
const ratioMin = 2;
/** How much less unusual than the whole window each half may be. */
const burstSlack = 0.2;

export interface Finding {
  readonly measure: Measure;
  readonly kind: 'detected' | 'ended';
  readonly incident: Incident;
  /** In the window: dollars, or a share. */
  readonly value: number;
  readonly expected: number;
}

/** Compares the last minutes, as two halves of a window, with what is expected. */
export function look(
  state: KeyState,
  halves: readonly [KeyActivity, KeyActivity],
  endMs: number,
): readonly Finding[] {
  const whole = addActivity(...halves);
  const findings: Finding[] = [];
  for (const measure of measures) {
    const deviation = deviationOf(state, measure, whole, endMs - windowMs, windowMs);
    if (deviation === undefined) {
      const finding = endIncident(state, measure, 0, endMs, { value: 0, expected: 0 });
      if (finding !== undefined) findings.push(finding);
      continue;
    }
    const { ratio, isLarge } = deviation;
    const half = windowMs / 2;
    const ofHalves = halves.map(
      (part, at) => deviationOf(state, measure, part, endMs - (2 - at) * half, half)?.distance ?? 0,
    );
    // A burst of some minutes is in one half only.
    const distance = Math.min(deviation.distance, Math.min(...ofHalves) + burstSlack);
    const bound = state.plan.bounds[measure];
    const incident = state.incidents[measure];
    const capped = bound === undefined ? distance : Math.min(distance, bound);
    state.maxima[measure] = Math.max(state.maxima[measure] ?? 0, capped);
    if (bound === undefined) continue;
    if (incident !== undefined) {
      const finding = endIncident(state, measure, distance, endMs, deviation);
      if (finding !== undefined) findings.push(finding);
      else incident.worst = Math.max(incident.worst, ratio);
      continue;
    }
    if (distance < bound || ratio < ratioMin || !isLarge) continue;
    const last = state.ended[measure];
    if (last !== undefined && endMs - last.atMs < dayMs && ratio < 2 * last.worst) continue;
    const opened = { startedMs: endMs, sinceMs: endMs - windowMs, bound, lastMs: endMs, worst: ratio };
    state.incidents[measure] = opened;
    findings.push({
      measure,
      kind: 'detected',
      incident: opened,
      value: deviation.value,
      expected: deviation.expected,
    });
  }
  return findings;
}

const quietMs = 3 * quarterMs;

function endIncident(
  state: KeyState,
  measure: Measure,
  distance: number,
  endMs: number,
  { value, expected }: { readonly value: number; readonly expected: number },
): Finding | undefined {
  const incident = state.incidents[measure];
  if (incident === undefined) return undefined;
  if (distance >= incident.bound / 2) incident.lastMs = endMs;
  if (endMs - incident.lastMs < quietMs) return undefined;
  delete state.incidents[measure];
  state.ended[measure] = { atMs: endMs, worst: incident.worst };
  return { measure, kind: 'ended', incident, value, expected };
}
