import type { Abilities } from '../../../kernel/abilities.ts';

/** What models with matching names can do. The first matching rule of a provider applies; the rest is unknown. */
export interface AbilityRule extends Partial<Abilities> {
  readonly models: RegExp;
}
