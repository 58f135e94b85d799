import { overlays } from '../../src/providers/catalog/overlay/index.ts';
import { priceData } from '../../src/providers/catalog/price-data.ts';

/** Providers announce prices about once a month. */
const daysMax = 30;
const dayMs = 86_400_000;

/** A warning for each source of prices that nobody has compared with its pages for 30 days. */
export function priceWarnings(nowMs: number): readonly string[] {
  const sources = [
    { name: priceData.package, checkedOn: priceData.checkedOn, sources: [] },
    ...[...overlays].map(([name, overlay]) => ({ name: `the overlay of ${name}`, ...overlay })),
  ];
  return sources.flatMap(({ name, checkedOn, sources: pages }) => {
    const days = Math.floor((nowMs - Date.parse(checkedOn)) / dayMs);
    if (days <= daysMax) return [];
    const where = pages.length === 0 ? 'npm run prices:refresh' : pages.join(' ');
    return [`${name}: prices were last compared ${days} days ago: ${where}`];
  });
}
