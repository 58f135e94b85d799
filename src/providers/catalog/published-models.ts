import { type ConditionalPrice, findProvider, type ModelInfo, type ModelPrice } from '@pydantic/genai-prices';
import type { DailyPrices, DatedPrices } from './price-schedule.ts';
import type { PriceSheet } from './price-sheet.ts';

/** A model in the price data. */
export interface PublishedModel {
  readonly model: ModelInfo;
  /** Undefined if it isn't billed by tokens. */
  readonly prices: readonly DatedPrices[] | undefined;
}

/** The models of a provider in the price data. */
export function publishedModels(priceId: string): readonly PublishedModel[] {
  const models = findProvider({ providerId: priceId })?.models ?? [];
  return models.map((model) => ({ model, prices: toDatedPrices(model) }));
}

function toDatedPrices({ id, prices }: ModelInfo): readonly DatedPrices[] | undefined {
  const dated: DatedPrices[] = [];
  for (const { constraint, prices: listed } of Array.isArray(prices) ? prices : [{ prices }]) {
    const sheet = toPriceSheet(listed, isEmbeddingModel(id));
    if (sheet === undefined) return undefined;
    if (constraint?.type === 'time_of_date') addHours(dated, { ...sheet, between: hoursBetween(constraint) });
    else dated.push(constraint === undefined ? sheet : { ...sheet, from: constraint.start_date });
  }
  return dated;
}

type HoursOfDay = Extract<ConditionalPrice['constraint'], { type: 'time_of_date' }>;

/** Hours apply to the prices before them: later rules in the price data override earlier ones. */
function addHours(dated: DatedPrices[], hours: DailyPrices): void {
  const last = dated.pop();
  if (last !== undefined) dated.push({ ...last, hours: [hours, ...(last.hours ?? [])] });
}

function hoursBetween({ start_time, end_time }: HoursOfDay): DailyPrices['between'] {
  if (!start_time.endsWith('Z') || !end_time.endsWith('Z'))
    throw new Error(`the price data has hours that are not in UTC: ${start_time} to ${end_time}`);
  return [start_time.slice(0, 5), end_time.slice(0, 5)];
}

/** Vectors are not billed, only the input. All models of Voyage in the price data make vectors. */
function isEmbeddingModel(id: string): boolean {
  return id.includes('embed') || id.startsWith('voyage-');
}

function toPriceSheet(listed: ModelPrice, hasFreeOutput: boolean): PriceSheet | undefined {
  const { input_mtok, output_mtok, audio_hours: audioHour } = listed;
  if (typeof audioHour === 'number' && input_mtok === undefined)
    return { input: 0, output: 0, units: { audioHour } };
  if (input_mtok === undefined || (output_mtok === undefined && !hasFreeOutput)) return undefined;
  const base = flatSheet(listed, 0);
  const starts = Object.values(listed).flatMap((price) =>
    typeof price === 'object' ? price.tiers.map(({ start }) => start) : [],
  );
  if (starts.length === 0) return base;
  const above = Math.min(...starts);
  return { ...base, longInput: { above, ...flatSheet(listed, above + 1) } };
}

/** The price data's names of the prices whose usage responses report. */
const priceFieldNames = {
  cacheRead: 'cache_read_mtok',
  cacheWrite: 'cache_write_mtok',
  cacheWriteHour: 'cache_write_1h_mtok',
  audioInput: 'input_audio_mtok',
  audioOutput: 'output_audio_mtok',
  imageInput: 'input_image_mtok',
  imageOutput: 'output_image_mtok',
  audioRead: 'cache_audio_read_mtok',
  imageRead: 'cache_image_read_mtok',
  webSearch: 'web_searches_kcount',
  fileSearch: 'storage_searches_kcount',
  request: 'requests_kcount',
} as const;

function flatSheet(listed: ModelPrice, inputTokens: number): PriceSheet {
  const at = (name: string): number | undefined => {
    const price = listed[name];
    if (typeof price !== 'object') return price;
    return price.tiers.findLast(({ start }) => inputTokens > start)?.price ?? price.base;
  };
  const others = Object.entries(priceFieldNames).flatMap(([field, name]) => {
    const price = at(name);
    return price === undefined ? [] : [[field, price] as const];
  });
  return { input: at('input_mtok') ?? 0, output: at('output_mtok') ?? 0, ...Object.fromEntries(others) };
}
