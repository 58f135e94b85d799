/** A time with two decimals. Every call formats several, and `toFixed` takes three times as long. */
export function formatHundredths(ms: number): string {
  const all = Math.round(ms * 100);
  const rest = all % 100;
  return `${(all - rest) / 100}.${rest < 10 ? '0' : ''}${rest}`;
}
