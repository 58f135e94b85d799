const unitSeconds = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Seconds in `500ms`, `30s`, `5m`, `24h` or `7d`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim());
  if (match === null) return undefined;
  const [, amount, unit] = match;
  switch (unit) {
    case 'ms':
    case 's':
    case 'm':
    case 'h':
    case 'd':
      return Number(amount) * unitSeconds[unit];
    default:
      return undefined;
  }
}
