import type { Abilities } from '../../../kernel/abilities.ts';
import type { FactSource } from '../../../kernel/ports/candidates.ts';

/**
 * What models with matching names can do. The first matching rule of a provider applies; the rest is unknown. Recorded
 * calls confirm many of the values that are true, and some that are false (`npm run eval:abilities`).
 */
export interface AbilityRule extends Partial<Abilities>, FactSource {
  readonly models: RegExp;
}
