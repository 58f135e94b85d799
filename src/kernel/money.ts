/** Whole billionths of a dollar: sums stay exact, and a safe integer still holds nine million dollars. */
export type NanoUsd = number;

/** Whole trillionths of a dollar for one token: fine enough for every published price. */
export type PicoUsdPerToken = number;

export function picoPerToken(usdPerMillionTokens: number): PicoUsdPerToken {
  return Math.round(usdPerMillionTokens * 1e6);
}

/** Rounded up, once for a whole sum: a charge is never less than what it cost. */
export function nanoOfPico(pico: number): NanoUsd {
  return Math.ceil(pico / 1000);
}

/** `0.0031`: dollars as people write them, without an exponent and without trailing zeros. */
export function formatUsd(nano: NanoUsd): string {
  const whole = Math.floor(nano / 1e9);
  const rest = nano % 1e9;
  if (rest === 0) return String(whole);
  const digits = String(rest).padStart(9, '0');
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return `${whole}.${digits.slice(0, end)}`;
}
