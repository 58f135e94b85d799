import { picoPerOne, picoPerToken } from '../../kernel/money.ts';
import { type MediaRates, type RateCard, type Rates, unitKinds } from '../../kernel/rate-card.ts';

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
  /** Searches with `web_search_preview`; without it, as `webSearch`. */
  readonly previewSearch?: number;
  readonly fileSearch?: number;
  readonly request?: number;
  readonly imageInput?: number;
  readonly imageOutput?: number;
  /** Cached audio and pictures; without them, as `cacheRead`. */
  readonly audioRead?: number;
  readonly imageRead?: number;
  /** By the piece: dollars per picture, per hour of audio, per million characters, per thousand searches. */
  readonly units?: UnitPrices;
  /** Prices of the whole call if its input is longer than `above`. */
  readonly longInput?: { readonly above: number } & Omit<PriceSheet, 'longInput'>;
}

interface UnitPrices {
  readonly image?: number;
  readonly audioHour?: number;
  readonly characters?: number;
  readonly searches?: number;
}

/** Factors on token prices: `{ flex: 0.5, priority: 2 }`. */
export type PriceFactors = Readonly<Record<string, number>>;

/** Fees of the provider's tools, in dollars per thousand uses. */
export type ToolFees = Pick<PriceSheet, 'webSearch' | 'previewSearch' | 'fileSearch'>;

/** What a price list says beside the prices of the single models. */
export interface PriceTerms {
  /** By service tier and speed. */
  readonly factors?: PriceFactors;
  readonly regions?: PriceFactors;
  /** The region of all calls. */
  readonly region?: string;
  /** The price of a cache write for an hour or longer in prices of input, for models without a price of their own. */
  readonly longWrite?: number;
  /** Fees that the price list of the model doesn't have. */
  readonly fees?: ToolFees;
  /** Factors and kinds of prices whose values are assumptions. */
  readonly assumed?: readonly string[];
  /** Tiers and regions without a factor don't change the price, and a kind without a price has none. */
  readonly isUniform?: true;
}

export const freeSheet: PriceSheet = {
  ...{ input: 0, output: 0 },
  units: { image: 0, audioHour: 0, characters: 0, searches: 0 },
};

export function compileCard(listed: PriceSheet, terms: PriceTerms = {}): RateCard {
  const { factors = {}, regions, region, isUniform } = terms;
  const sheet = fillSheet(listed, terms);
  const { longInput } = listed;
  const assumed = assumptionsOf(listed, terms);
  return {
    ...ratesOf(sheet),
    ...mediaOf(listed),
    ...(longInput !== undefined && {
      longInput: { aboveTokens: longInput.above, rates: ratesOf(fillSheet(longInput, terms)) },
    }),
    factors: toThousandths(factors),
    ...(regions !== undefined && { regions: toThousandths(regions) }),
    ...(region !== undefined && { region }),
    ...(assumed.length > 0 && { assumed: new Set(assumed) }),
    ...(isUniform === true && { isUniform }),
  };
}

function toThousandths(factors: PriceFactors): PriceFactors {
  return Object.fromEntries(
    Object.entries(factors).map(([name, factor]) => [name, Math.round(factor * 1000)]),
  );
}

/** Adds what the price list says for all models. */
function fillSheet<Sheet extends Omit<PriceSheet, 'longInput'>>(
  sheet: Sheet,
  { longWrite, fees }: PriceTerms,
): Sheet {
  const { input, cacheWrite, cacheWriteHour } = sheet;
  const isFilled = longWrite !== undefined && cacheWrite !== undefined && cacheWriteHour === undefined;
  return { ...fees, ...sheet, ...(isFilled && { cacheWriteHour: input * longWrite }) };
}

/** A kind that no price list has is an assumption as well, once it is used. */
function assumptionsOf(listed: PriceSheet, { assumed = [], fees, longWrite, isUniform }: PriceTerms) {
  if (isUniform === true) return [];
  const sheet = { ...fees, ...listed };
  const unlisted = (['webSearch', 'previewSearch', 'fileSearch'] as const).filter(
    (kind) => sheet[kind] === undefined,
  );
  const named = assumed.filter((name) => name !== 'cacheWriteHour' || listed.cacheWriteHour === undefined);
  const isLongWriteUnlisted = listed.cacheWriteHour === undefined && longWrite === undefined;
  return [...named, ...unlisted, ...(isLongWriteUnlisted ? ['cacheWriteHour'] : [])];
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
    previewSearch: picoPerOne(sheet.previewSearch ?? sheet.webSearch ?? 0),
    fileSearch: picoPerOne(sheet.fileSearch ?? 0),
    request: picoPerOne(sheet.request ?? 0),
  };
}

function mediaOf({ units, ...sheet }: PriceSheet): Pick<RateCard, 'media'> {
  const listed = mediaTokens.filter((kind) => sheet[kind] !== undefined);
  if (listed.length === 0 && units === undefined) return {};
  const { image, audioHour, characters, searches } = units ?? {};
  return {
    media: {
      ...Object.fromEntries(listed.map((kind) => [kind, picoPerToken(sheet[kind] ?? 0)])),
      units: {
        ...(image !== undefined && { images: picoPerOne(image * 1000) }),
        ...(audioHour !== undefined && { seconds: picoPerOne((audioHour * 1000) / 3600) }),
        ...(characters !== undefined && { characters: picoPerToken(characters) }),
        ...(searches !== undefined && { searches: picoPerOne(searches) }),
      },
    },
  };
}

/** Tokens of media whose prices may differ from those of other tokens. */
const mediaTokens = ['imageInput', 'imageOutput', 'audioRead', 'imageRead'] as const;

/** A rate card with the highest price of each kind among these cards. */
export function mostExpensiveCard(cards: readonly RateCard[]): RateCard | undefined {
  const [first, ...others] = cards;
  if (first === undefined) return undefined;
  const base = others.reduce<Rates>(maxRates, maxRates(first, first));
  const long = cards.flatMap(({ longInput }) => (longInput === undefined ? [] : [longInput]));
  const factors = {
    factors: highestFactors(cards.map((card) => card.factors)),
    regions: highestFactors(cards.map((card) => card.regions ?? {})),
    ...(first.region !== undefined && { region: first.region }),
  };
  const media = mostExpensiveMedia(cards);
  if (long.length === 0) return { ...base, ...media, ...factors };
  const aboveTokens = Math.min(...long.map((step) => step.aboveTokens));
  const rates = long.reduce<Rates>((most, step) => maxRates(most, step.rates), base);
  return { ...base, longInput: { aboveTokens, rates }, ...media, ...factors };
}

function mostExpensiveMedia(cards: readonly RateCard[]): Pick<RateCard, 'media'> {
  const all = cards.flatMap(({ media }) => media ?? []);
  const highest = (of: (media: MediaRates) => number | undefined) => {
    const known = all.flatMap((media) => of(media) ?? []);
    return known.length === 0 ? undefined : Math.max(...known);
  };
  if (all.length === 0) return {};
  const units = unitKinds.map((kind) => [kind, highest((media) => media.units[kind])] as const);
  const tokens = mediaTokens.map((kind) => [kind, highest((media) => media[kind])] as const);
  const known = ([, rate]: readonly [string, number | undefined]) => rate !== undefined;
  return {
    media: {
      ...Object.fromEntries(tokens.filter(known)),
      units: Object.fromEntries(units.filter(known)),
    },
  };
}

function highestFactors(all: readonly PriceFactors[]): PriceFactors {
  const names = new Set(all.flatMap((factors) => Object.keys(factors)));
  return Object.fromEntries(
    [...names].map((name) => [name, Math.max(...all.map((factors) => factors[name] ?? 1000))]),
  );
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
    previewSearch: Math.max(a.previewSearch, b.previewSearch),
    fileSearch: Math.max(a.fileSearch, b.fileSearch),
    request: Math.max(a.request, b.request),
  };
}
