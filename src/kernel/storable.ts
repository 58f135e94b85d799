import { limits } from './limits.ts';

/**
 * Makes a text storable in every database: limited length, no unpaired surrogates, and no NUL, which PostgreSQL
 * rejects.
 */
export function storableText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax && text.isWellFormed() && !text.includes('\0')) return text;
  return text.slice(0, charactersMax).toWellFormed().replaceAll('\0', '\ufffd');
}

/** An external count of tokens or money, if it is valid. */
export function storableFigure(value: number | null | undefined): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= limits.usageFigureMax
    ? value
    : undefined;
}

/** An amount of money that may be negative. */
export function storableChange(value: number): number | undefined {
  const size = storableFigure(Math.abs(value));
  return size === undefined ? undefined : value;
}
