import { limits } from './limits.ts';

/** `2026-11-18 09:30 UTC`. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** A name that a client or user has chosen. */
export function quoteName(name: string): string {
  return `"${name.slice(0, limits.nameCharactersMax)}"`;
}
