import type { TagDay } from '../kernel/ports/records.ts';
import type { Tags } from '../kernel/tags.ts';
import { zeroSums } from '../kernel/usage-sums.ts';
import type { WritableSums } from './usage-sums.ts';
import type { UsageQuery } from './usage-tally.ts';

export type TagDaySum = Pick<TagDay, 'accountId' | 'day' | 'tag' | 'value'> & WritableSums;

/** Sums of calls by tag that are not stored yet. Beyond `sumsMax`, further values of a tag share one sum, then further tags. */
export class TagTally {
  readonly #sumsMax: number;
  readonly #days = new Map<string, TagDaySum>();

  constructor(sumsMax: number) {
    this.#sumsMax = sumsMax;
  }

  get size(): number {
    return this.#days.size;
  }

  /** The sum of each tag. */
  sumsFor(accountId: string, tags: Tags, day: string): readonly TagDaySum[] {
    return Object.entries(tags).map(([tag, value]) => this.#sumFor({ accountId, day, tag, value }));
  }

  days({ accountId, from, to }: UsageQuery): readonly TagDay[] {
    return this.rows().filter(
      (sum) => (accountId === undefined || sum.accountId === accountId) && sum.day >= from && sum.day <= to,
    );
  }

  rows(): readonly TagDay[] {
    return [...this.#days.values()];
  }

  #sumFor(of: Pick<TagDay, 'accountId' | 'day' | 'tag' | 'value'>): TagDaySum {
    const name = `${of.accountId}\n${of.day}\n${of.tag}\n${of.value}`;
    const existing = this.#days.get(name);
    if (existing !== undefined) return existing;
    const size = this.#days.size;
    if (size >= this.#sumsMax && of.value !== '') return this.#sumFor({ ...of, value: '' });
    if (size >= this.#sumsMax * 2 && of.tag !== '') return this.#sumFor({ ...of, tag: '' });
    const sum = { ...of, ...zeroSums };
    this.#days.set(name, sum);
    return sum;
  }
}
