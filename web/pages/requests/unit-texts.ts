import type { LoggedCall } from '../../api/queries.ts';
import { count } from '../../parts/format.ts';

const one: Readonly<Record<string, string>> = {
  images: 'picture',
  seconds: 'second',
  characters: 'character',
  searches: 'search',
};
const several: Readonly<Record<string, string>> = { images: 'pictures', searches: 'searches' };

/** What a call is billed for beside tokens: `2 pictures`. */
export function unitTexts(units: LoggedCall['units']): readonly string[] {
  return Object.entries(units ?? {}).map(([unit, amount]) => {
    const name = amount === 1 ? one[unit] : (several[unit] ?? unit);
    return `${count(amount)} ${name ?? unit}`;
  });
}
