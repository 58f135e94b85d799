/** Whole billionths of a dollar: sums stay exact, and a safe integer still holds nine million dollars. */
export type NanoUsd = number;

/** What something cost. */
export interface Bill {
  readonly nanoUsd: NanoUsd;
  /** At the price of the dearest known model, since this one has none, or for usage that nobody told. */
  readonly estimated: boolean;
}

/** Whole trillionths of a dollar: nine thousand dollars, which no single call costs. */
export type PicoUsd = number;

/** Whole trillionths of a dollar for one token: what vendors publish is no finer. */
export type PicoUsdPerToken = number;

/** Rounded up where a price is a third of something; a thousandth below that is what decimal fractions lose. */
export function picoPerToken(usdPerMillionTokens: number): PicoUsdPerToken {
  return Math.ceil(usdPerMillionTokens * 1e6 - 0.001);
}

/** For what is sold by the thousand: searches and requests. */
export function picoPerOne(usdPerThousand: number): PicoUsd {
  return Math.round(usdPerThousand * 1e9);
}

/** Rounded up, once for a whole sum: a charge is never less than what it cost. */
export function nanoOfPico(pico: PicoUsd): NanoUsd {
  return Math.ceil(pico / 1000);
}

/** For an amount that somebody else wrote as a decimal number. */
export function nanoOfUsd(usd: number): NanoUsd {
  return Math.round(usd * 1e9);
}

/** `0.0031`: dollars as people write them, without an exponent and without trailing zeros. */
export function formatUsd(nano: NanoUsd): string {
  if (nano < 0) return `-${formatUsd(-nano)}`;
  const whole = Math.floor(nano / 1e9);
  const rest = nano % 1e9;
  if (rest === 0) return String(whole);
  const digits = String(rest).padStart(9, '0');
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return `${whole}.${digits.slice(0, end)}`;
}
