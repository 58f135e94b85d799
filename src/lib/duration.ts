const unitSeconds: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds in `500ms`, `30s`, `5m`, `24h` or `7d`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim());
  if (match === null) return undefined;
  const [, amount, unit = ''] = match;
  return Number(amount) * (unitSeconds[unit] ?? Number.NaN);
}

/** Seconds in `6m0s` or `1.5s`, as Go writes them; undefined for anything else. */
export function parseGoDuration(text: string): number | undefined {
  if (!/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h|d)){1,5}$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, amount, unit = ''] of text.matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)/g))
    seconds += Number(amount) * (unitSeconds[unit] ?? Number.NaN);
  return seconds;
}
