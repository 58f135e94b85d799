import type { Usage } from './message.ts';

/** How service tiers, speeds and regions change the token rates of a model, in thousandths. */
export interface RateFactors {
  /** By the service tier or speed that a provider reports. */
  readonly factors: Readonly<Record<string, number>>;
  /** By region; without it, `factors` has them too. */
  readonly regions?: Readonly<Record<string, number>>;
  /** The region of calls that don't report one. */
  readonly region?: string;
  /** Factors and kinds of rates whose values are assumptions. */
  readonly assumed?: ReadonlySet<string>;
  /** Whether tiers and regions without a factor cost the same, because the operator set the price. */
  readonly isUniform?: true;
}

/** What a call asks for or an answer reports. */
export type Qualifiers = Pick<Usage, 'service_tier' | 'speed' | 'inference_geo'>;

/** The product of all factors. A name without a known factor counts with the highest one, which is never below 1. */
export function factorOf(card: RateFactors, { service_tier, speed, inference_geo }: Qualifiers): number {
  const { factors, regions = factors, region } = card;
  let thousandths = factorNamed(card, factors, service_tier);
  thousandths = multiply(thousandths, factorNamed(card, factors, speed));
  return multiply(thousandths, factorNamed(card, regions, inference_geo ?? region));
}

/** Whether a factor is unknown or an assumption. */
export function hasAssumedFactor(
  card: RateFactors,
  { service_tier, speed, inference_geo }: Qualifiers,
): boolean {
  const { factors, regions = factors, region } = card;
  return (
    isAssumed(card, factors, service_tier) ||
    isAssumed(card, factors, speed) ||
    isAssumed(card, regions, inference_geo ?? region)
  );
}

function factorNamed({ isUniform }: RateFactors, factors: NamedFactors, name: Name): number {
  if (name == null || listPriceNames.has(name)) return 1000;
  if (Object.hasOwn(factors, name)) return factors[name] ?? 1000;
  return isUniform === true ? 1000 : Math.max(1000, ...Object.values(factors));
}

function isAssumed({ isUniform, assumed }: RateFactors, factors: NamedFactors, name: Name): boolean {
  if (name == null || isUniform === true || listPriceNames.has(name)) return false;
  return !Object.hasOwn(factors, name) || assumed?.has(name) === true;
}

function multiply(thousandths: number, factor: number): number {
  return factor === 1000 ? thousandths : Math.ceil((thousandths * factor) / 1000);
}

type NamedFactors = RateFactors['factors'];
type Name = string | null | undefined;

/** Tiers, speeds and regions at the list price; `not_available` is a model without regions. */
const listPriceNames: ReadonlySet<string> = new Set([
  ...['', 'auto', 'default', 'standard', 'standard_only', 'on_demand', 'unspecified'],
  ...['global', 'not_available'],
]);
