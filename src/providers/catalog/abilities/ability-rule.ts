import type { Abilities } from '../../../kernel/abilities.ts';

/**
 * What models with matching names can do. The first matching rule of a provider applies; the rest is unknown. Recorded
 * calls confirm many of the values that are true (`npm run eval:abilities`), and none that is false.
 */
export interface AbilityRule extends Partial<Abilities> {
  readonly models: RegExp;
}
