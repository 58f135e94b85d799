import { z } from 'zod';
import { measures } from './activity.ts';
import type { PastDay } from './day-plan.ts';
import type { KeyState } from './key-state.ts';
import { spendCode, spendOfCode } from './spend-code.ts';

const byMeasure = <Value extends z.ZodType>(value: Value) => z.partialRecord(z.enum(measures), value);
const sums = z.object({ hits: z.number(), calls: z.number() });
const level = z.object({ slow: sums, fast: sums });

const stateSchema = z.object({
  day: z.number(),
  sinceDay: z.number(),
  learnedMs: z.number(),
  spend: z.array(z.number()),
  plan: z.object({ spend: z.array(z.number()).nullable(), bounds: byMeasure(z.number()) }),
  maxima: byMeasure(z.number()),
  ratios: z.array(z.number()),
  levels: z.object({ errors: level, cache_hits: level, prompt_cache: level }),
  cost: z.object({ nanoUsd: z.number(), calls: z.number() }),
  incidents: byMeasure(
    z.object({
      startedMs: z.number(),
      sinceMs: z.number(),
      bound: z.number(),
      lastMs: z.number(),
      worst: z.number(),
    }),
  ),
  ended: byMeasure(z.object({ atMs: z.number(), worst: z.number() })),
});

const pastSchema = z.array(z.object({ day: z.number(), spend: z.base64(), maxima: byMeasure(z.number()) }));

/** As JSON, with amounts as codes and other numbers of four digits. */
export function encodeState(state: KeyState): string {
  const { plan } = state;
  const spend = plan.spend?.map(spendCode) ?? null;
  return encode({ ...state, plan: { ...plan, spend } });
}

/** Undefined if it can't be read, as after a change of the form: the key is learned anew. */
export function decodeState(json: string): KeyState | undefined {
  const state = parse(stateSchema, json);
  if (state === undefined) return undefined;
  const { spend, bounds } = state.plan;
  return { ...state, plan: { spend: spend?.map(spendOfCode), bounds } };
}

export function encodePast(past: readonly PastDay[]): string {
  return encode(
    past.map(({ day, spend, maxima }) => ({ day, spend: Buffer.from(spend).toString('base64'), maxima })),
  );
}

export function decodePast(json: string): readonly PastDay[] {
  const past = parse(pastSchema, json) ?? [];
  return past.map(({ day, spend, maxima }) => ({ day, spend: [...Buffer.from(spend, 'base64')], maxima }));
}

function encode(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'number' && !Number.isInteger(one) ? Number(one.toPrecision(5)) : one,
  );
}

function parse<Value>(schema: z.ZodType<Value>, json: string): Value | undefined {
  if (json === '') return undefined;
  try {
    return schema.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}
