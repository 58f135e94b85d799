import type { RateCard } from '../../kernel/rate-card.ts';
import { compileCard, freeSheet, type PriceSheet, type PriceTerms } from './price-sheet.ts';

/** Prices from a date on; without a date, from the beginning. */
export interface DatedPrices extends PriceSheet {
  /** `2026-09-10`, or with a time: `2026-08-16T16:00:00Z`. */
  readonly from?: string;
  /** Hours with different prices. */
  readonly hours?: readonly DailyPrices[];
}

export interface DailyPrices extends PriceSheet {
  /** `01:00` to `04:00`, UTC; the end is exclusive and may be on the next day. */
  readonly between: readonly [string, string];
  /** Only from Monday to Friday, UTC. */
  readonly weekdays?: boolean;
}

/** The rate cards of a model over time, earliest first. */
export interface PriceSchedule {
  readonly periods: readonly PricePeriod[];
}

interface PricePeriod {
  readonly fromMs: number;
  readonly card: RateCard;
  readonly hours: readonly DailyHours[];
}

interface DailyHours {
  readonly startMinute: number;
  readonly endMinute: number;
  readonly weekdays: boolean;
  readonly card: RateCard;
}

export function compileSchedule(dated: readonly DatedPrices[], terms: PriceTerms = {}): PriceSchedule {
  const periods = dated.map(({ from, hours = [], ...sheet }) => ({
    fromMs: from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from),
    card: compileCard(sheet, terms),
    hours: hours.map(({ between: [start, end], weekdays = false, ...other }) => ({
      startMinute: minuteOf(start),
      endMinute: minuteOf(end),
      weekdays,
      card: compileCard(other, terms),
    })),
  }));
  return { periods: periods.sort((a, b) => (a.fromMs < b.fromMs ? -1 : 1)) };
}

/** The prices of a model that is free of charge. */
export const freePrices = compileSchedule([freeSheet], { isUniform: true });

/** The rate card at a time; before the first period, the first card. */
export function cardAt({ periods }: PriceSchedule, atMs: number): RateCard {
  let at = periods.length - 1;
  while (at > 0 && (periods[at]?.fromMs ?? 0) > atMs) at--;
  const pricePeriod = periods[at];
  if (pricePeriod === undefined) throw new Error('a price schedule needs at least one period');
  for (const dailyHours of pricePeriod.hours) if (isWithin(dailyHours, atMs)) return dailyHours.card;
  return pricePeriod.card;
}

/** Every rate card that applies at some hour of a day. */
export function cardsOn(schedule: PriceSchedule, dayMs: number): readonly RateCard[] {
  const { periods } = schedule;
  const last = periods.findLastIndex(({ fromMs }) => fromMs < dayMs + dayLengthMs);
  const first = periods.findLastIndex(({ fromMs }) => fromMs <= dayMs);
  return periods
    .slice(Math.max(0, first), Math.max(0, last) + 1)
    .flatMap(({ card, hours }) => [card, ...hours.map((other) => other.card)]);
}

const minuteMs = 60_000;
export const dayLengthMs = 1440 * minuteMs;

function isWithin({ startMinute, endMinute, weekdays }: DailyHours, atMs: number): boolean {
  const minute = Math.floor((atMs % dayLengthMs) / minuteMs);
  const inside =
    startMinute < endMinute
      ? minute >= startMinute && minute < endMinute
      : minute >= startMinute || minute < endMinute;
  return inside && !(weekdays && isWeekend(atMs));
}

/** 1 January 1970 was a Thursday. */
function isWeekend(atMs: number): boolean {
  const weekday = (Math.floor(atMs / dayLengthMs) + 4) % 7;
  return weekday === 0 || weekday === 6;
}

function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
