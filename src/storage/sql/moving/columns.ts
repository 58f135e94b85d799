import { z } from 'zod';

/** A column as it is in a file: its type in the database, and what may be in it. */
export interface MovedColumn {
  readonly type: 'text' | 'bigint' | 'double precision';
  readonly schema: z.ZodType;
}

/** No figure of one row is larger, nor the sum of an account's: sums of many accounts are exact numbers in JavaScript. */
export const figureMax = 1e14;
const textMax = 4096;

export function text(max = textMax): MovedColumn {
  return { type: 'text', schema: z.string().max(max) };
}

export function optionalText(max = textMax): MovedColumn {
  return { type: 'text', schema: z.string().max(max).nullable() };
}

/** JSON that readers parse. */
export function json(max: number, isOptional = false): MovedColumn {
  const schema = z.string().max(max).refine(isJson, 'must be JSON');
  return { type: 'text', schema: isOptional ? schema.nullable() : schema };
}

export const figure: MovedColumn = { type: 'bigint', schema: z.int().min(0).max(figureMax) };
/** Savings may be costs. */
export const signedFigure: MovedColumn = { type: 'bigint', schema: z.int().min(-figureMax).max(figureMax) };
export const optionalFigure: MovedColumn = { type: 'bigint', schema: figure.schema.nullable() };
export const optionalInteger: MovedColumn = { type: 'bigint', schema: z.int().nullable() };
export const flag: MovedColumn = { type: 'bigint', schema: z.int().min(0).max(1) };
export const real: MovedColumn = { type: 'double precision', schema: z.number().min(0).max(1e18) };
export const optionalReal: MovedColumn = { type: 'double precision', schema: real.schema.nullable() };
export const day: MovedColumn = { type: 'text', schema: z.iso.date() };
/** Up to the year 5138: the check against the clock is made where it matters. */
export const time: MovedColumn = { type: 'bigint', schema: z.int().min(0).max(1e14) };
export const optionalTime: MovedColumn = { type: 'bigint', schema: time.schema.nullable() };
export const base64 = (bytesMax: number): MovedColumn => ({
  type: 'text',
  schema: z.base64().max(Math.ceil(bytesMax / 3) * 4 + 4),
});

export function columnsOf(
  columns: Readonly<Record<string, MovedColumn>>,
): z.ZodType<Record<string, unknown>> {
  return z.strictObject(
    Object.fromEntries(Object.entries(columns).map(([name, { schema }]) => [name, schema])),
  );
}

function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}
