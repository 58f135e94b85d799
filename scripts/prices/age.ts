import { abilityRules } from '../../src/providers/catalog/abilities/index.ts';
import { overlays } from '../../src/providers/catalog/overlay/index.ts';
import { priceData } from '../../src/providers/catalog/price-data.ts';

/** Providers announce prices about once a month. */
const daysMax = 30;
const dayMs = 86_400_000;

interface DatedFacts {
  readonly name: string;
  readonly checkedOn: string;
  readonly sources: readonly string[];
}

/** A warning for each source of prices that nobody has compared with its pages for 30 days. */
export function priceWarnings(nowMs: number): readonly string[] {
  const sources = [
    { name: priceData.package, checkedOn: priceData.checkedOn, sources: ['npm run prices:refresh'] },
    ...[...overlays].map(([name, overlay]) => ({ ...overlay, name: `the overlay of ${name}` })),
  ];
  return sources.flatMap((facts) => ageWarnings(facts, 'prices', nowMs));
}

/** The same for the abilities of models, by page. */
export function abilityWarnings(nowMs: number): readonly string[] {
  const pages = new Map<string, DatedFacts>();
  for (const [name, rules] of abilityRules)
    for (const { source, checkedOn } of rules)
      if (source !== undefined && !pages.has(source))
        pages.set(source, { name, checkedOn, sources: [source] });
  return [...pages.values()].flatMap((facts) => ageWarnings(facts, 'abilities', nowMs));
}

function ageWarnings(
  { name, checkedOn, sources }: DatedFacts,
  what: string,
  nowMs: number,
): readonly string[] {
  const days = Math.floor((nowMs - Date.parse(checkedOn)) / dayMs);
  return days <= daysMax
    ? []
    : [`${name}: ${what} were last compared ${days} days ago: ${sources.join(' ')}`];
}
