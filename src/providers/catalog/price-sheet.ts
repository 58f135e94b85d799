import { picoPerOne, picoPerToken } from '../../kernel/money.ts';
import type { RateCard, Rates } from '../../kernel/rate-card.ts';

/** Published prices: dollars per million tokens, and per thousand searches or requests. */
export interface PriceSheet {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly cacheWriteHour?: number;
  readonly audioInput?: number;
  readonly audioOutput?: number;
  readonly webSearch?: number;
  readonly fileSearch?: number;
  readonly request?: number;
  /** Prices of the whole call if its input is longer than `above`. */
  readonly longInput?: { readonly above: number } & Omit<PriceSheet, 'longInput'>;
}

/** Factors on token prices: `{ flex: 0.5, priority: 2 }`. */
export type PriceFactors = Readonly<Record<string, number>>;

export const freeSheet: PriceSheet = { input: 0, output: 0 };

export function compileCard(sheet: PriceSheet, factors: PriceFactors = {}): RateCard {
  const { longInput } = sheet;
  return {
    ...ratesOf(sheet),
    ...(longInput !== undefined && {
      longInput: { aboveTokens: longInput.above, rates: ratesOf(longInput) },
    }),
    factors: Object.fromEntries(
      Object.entries(factors).map(([name, factor]) => [name, Math.round(factor * 1000)]),
    ),
  };
}

/** A kind of token without its own price costs as much as a normal token. */
function ratesOf(sheet: Omit<PriceSheet, 'longInput'>): Rates {
  const { input, output, cacheRead = input, cacheWrite = input, cacheWriteHour = cacheWrite } = sheet;
  return {
    input: picoPerToken(input),
    output: picoPerToken(output),
    cacheRead: picoPerToken(cacheRead),
    cacheWrite: picoPerToken(cacheWrite),
    cacheWriteHour: picoPerToken(cacheWriteHour),
    audioInput: picoPerToken(sheet.audioInput ?? input),
    audioOutput: picoPerToken(sheet.audioOutput ?? output),
    webSearch: picoPerOne(sheet.webSearch ?? 0),
    fileSearch: picoPerOne(sheet.fileSearch ?? 0),
    request: picoPerOne(sheet.request ?? 0),
  };
}

/** A rate card with the highest price of each kind among these cards. */
export function mostExpensiveCard(cards: readonly RateCard[]): RateCard | undefined {
  const [first, ...others] = cards;
  if (first === undefined) return undefined;
  const base = others.reduce<Rates>(maxRates, first);
  const long = cards.flatMap(({ longInput }) => (longInput === undefined ? [] : [longInput]));
  const names = new Set(cards.flatMap(({ factors }) => Object.keys(factors)));
  const factors = Object.fromEntries(
    [...names].map((name) => [name, Math.max(...cards.map((card) => card.factors[name] ?? 1000))]),
  );
  if (long.length === 0) return { ...base, factors };
  const aboveTokens = Math.min(...long.map((step) => step.aboveTokens));
  const rates = long.reduce<Rates>((most, step) => maxRates(most, step.rates), base);
  return { ...base, longInput: { aboveTokens, rates }, factors };
}

function maxRates(a: Rates, b: Rates): Rates {
  return {
    input: Math.max(a.input, b.input),
    output: Math.max(a.output, b.output),
    cacheRead: Math.max(a.cacheRead, b.cacheRead),
    cacheWrite: Math.max(a.cacheWrite, b.cacheWrite),
    cacheWriteHour: Math.max(a.cacheWriteHour, b.cacheWriteHour),
    audioInput: Math.max(a.audioInput, b.audioInput),
    audioOutput: Math.max(a.audioOutput, b.audioOutput),
    webSearch: Math.max(a.webSearch, b.webSearch),
    fileSearch: Math.max(a.fileSearch, b.fileSearch),
    request: Math.max(a.request, b.request),
  };
}
