import type { ActivityPart } from '../../kernel/ports/key-activity.ts';
import { type Measure, sharePartsOf } from './activity.ts';

/** What most of a change comes from. */
export interface Driver {
  readonly kind: 'model' | 'provider' | 'client' | 'error';
  readonly name: string;
  /** Of the whole change. */
  readonly share: number;
}

export interface Explanation {
  readonly sinceMs: number;
  readonly drivers: readonly Driver[];
}

interface ExplainQuery {
  readonly measure: Measure;
  /** Sums of the window and of some time before, in small parts. */
  readonly parts: readonly ActivityPart[];
  readonly windowFromMs: number;
  readonly partMs: number;
  readonly endMs: number;
  /** In the window: nano USD, or a share. */
  readonly value: number;
  readonly expected: number;
}

/** A driver has at least this share of a change. */
const driverShareMin = 0.5;

/** Tells since when a measure is unusual, and what most of the difference comes from. */
export function explain(query: ExplainQuery): Explanation {
  const { measure } = query;
  const kinds = [
    'model',
    'provider',
    'client',
    ...(measure === 'errors' ? (['error'] as const) : []),
  ] as const;
  return {
    sinceMs: findStart(query),
    drivers: kinds.flatMap((kind) => findDriver(query, kind) ?? []),
  };
}

/** The first of the latest parts that are all nearer to the value than to what is expected. */
function findStart({ measure, parts, endMs, partMs, windowFromMs, value, expected }: ExplainQuery): number {
  const earliestMs = Math.min(...parts.map(({ atMs }) => atMs), windowFromMs);
  const perPart = measure === 'spend' ? partMs / (endMs - windowFromMs) : 1;
  const middle = Math.sqrt(Math.max(value, 1e-4) * Math.max(expected, 1e-4)) * perPart;
  let sinceMs = endMs - partMs;
  for (let atMs = sinceMs; atMs >= earliestMs; atMs -= partMs) {
    const here = parts.filter((part) => part.atMs === atMs);
    const amount = amountOf(measure, here);
    const isFar = value > expected ? amount > middle : amount < middle;
    // One calmer part is no end of it.
    if (!isFar && atMs < sinceMs - partMs) break;
    if (isFar) sinceMs = atMs;
  }
  return sinceMs;
}

/** Dollars of these parts, or a share of their calls. */
function amountOf(measure: Measure, parts: readonly ActivityPart[]): number {
  if (measure === 'spend') return sumOf(parts, ({ activity }) => activity.costNanoUsd);
  const calls = sumOf(parts, ({ activity }) => sharePartsOf(measure, activity).calls);
  return calls === 0 ? 0 : sumOf(parts, ({ activity }) => sharePartsOf(measure, activity).hits) / calls;
}

function findDriver(query: ExplainQuery, kind: Driver['kind']): Driver | undefined {
  const { measure, parts, windowFromMs, endMs, expected } = query;
  const beforeMs = windowFromMs - Math.min(...parts.map(({ atMs }) => atMs), windowFromMs);
  const scale = beforeMs === 0 ? 0 : (endMs - windowFromMs) / beforeMs;
  const changes = new Map<string, number>();
  for (const part of parts) {
    const name = part[kind];
    if (name === null || name === '') continue;
    const isBefore = part.atMs < windowFromMs;
    // What falls is what is missing in the window, so that only its calls count.
    if (isBefore && (measure === 'cache_hits' || measure === 'prompt_cache')) continue;
    const amount = excessOf(measure, part, expected) * (isBefore ? -scale : 1);
    changes.set(name, (changes.get(name) ?? 0) + amount);
  }
  const whole = [...changes.values()].reduce((sum, one) => sum + Math.max(0, one), 0);
  const [largest] = [...changes].sort(([, one], [, other]) => other - one);
  if (largest === undefined || whole <= 0) return undefined;
  const [name, change] = largest;
  const share = change / whole;
  return share < driverShareMin ? undefined : { kind, name, share };
}

function excessOf(measure: Measure, { activity }: ActivityPart, expected: number): number {
  if (measure === 'spend') return activity.costNanoUsd;
  const { calls, hits } = sharePartsOf(measure, activity);
  return measure === 'errors' ? hits : calls * expected - hits;
}

function sumOf(parts: readonly ActivityPart[], amount: (part: ActivityPart) => number): number {
  return parts.reduce((sum, part) => sum + amount(part), 0);
}
