/** Integer nano USD: sums stay exact, and a safe integer still holds nine million dollars. */
export type NanoUsd = number;

/** The cost of something. */
export interface Bill {
  readonly nanoUsd: NanoUsd;
  /** Whether it is estimated: with the price of the most expensive known model, or from unreported usage. */
  readonly estimated: boolean;
}

/** Integer trillionths of a dollar: up to nine thousand dollars, more than any single call costs. */
export type PicoUsd = number;

/** Integer trillionths of a dollar per token: published prices are no finer. */
export type PicoUsdPerToken = number;

/** Rounds up fractions of a price; tolerates a thousandth, the error of decimal fractions. */
export function picoPerToken(usdPerMillionTokens: number): PicoUsdPerToken {
  return Math.ceil(usdPerMillionTokens * 1e6 - 0.001);
}

/** For prices per thousand: searches and requests. */
export function picoPerOne(usdPerThousand: number): PicoUsd {
  return Math.round(usdPerThousand * 1e9);
}

/** Rounds up once for a whole sum: a charge is never below the cost. */
export function nanoOfPico(pico: PicoUsd): NanoUsd {
  return Math.ceil(pico / 1000);
}

/** For an external amount in decimal notation. */
export function nanoOfUsd(usd: number): NanoUsd {
  return Math.round(usd * 1e9);
}

/** `0.0031`: dollars without an exponent and without trailing zeros. */
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

/** Undefined for anything but a decimal number of dollars above 0 with at most nine places. */
export function parseUsd(text: string, nanoMax: NanoUsd): NanoUsd | undefined {
  const match = /^(\d{1,7})(?:\.(\d{1,9}))?$/.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fraction = ''] = match;
  const nano = Number(whole) * 1e9 + Number(fraction.padEnd(9, '0'));
  return nano > 0 && nano <= nanoMax ? nano : undefined;
}
