import { limits } from './limits.ts';

/** What every database takes: a bounded length, no half characters, and no NUL, which PostgreSQL refuses. */
export function storableText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax && text.isWellFormed() && !text.includes('\0')) return text;
  return text.slice(0, charactersMax).toWellFormed().replaceAll('\0', '\ufffd');
}

/** A count of tokens or of money as somebody told it, where it can be one. */
export function storableFigure(told: number | null | undefined): number | undefined {
  return typeof told === 'number' && Number.isInteger(told) && told >= 0 && told <= limits.usageFigureMax
    ? told
    : undefined;
}

/** A sum of money that may have become less. */
export function storableChange(told: number): number | undefined {
  const size = storableFigure(Math.abs(told));
  return size === undefined ? undefined : told;
}
