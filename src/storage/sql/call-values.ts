import { requestColumnNames } from './request-log-row.ts';

/** A call as the values of its columns. */
export type CallValues = readonly unknown[];
export type SqlValue = string | number | null;

export function columnIndexOf(column: (typeof requestColumnNames)[number]): number {
  return requestColumnNames.indexOf(column);
}

export function valueAt(callValues: CallValues, at: number): SqlValue {
  const value = callValues[at];
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/** Null counts as 0. */
export function numberAt(callValues: CallValues, at: number): number {
  return Number(callValues[at]);
}
