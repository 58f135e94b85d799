import { GatewayError } from '../../kernel/errors.ts';
import type { Target } from '../../kernel/provider.ts';
import type { ModelPricing } from '../../kernel/rate-card.ts';

/** What happens to calls to models without a price in the catalog. */
export type UnknownModelPolicy = 'estimate' | 'refuse';

/** Rejects a call whose price is an estimate or unknown, if the operator wants that. */
export function requirePrice(
  modelPricing: ModelPricing | undefined,
  { provider, model }: Pick<Target, 'provider' | 'model'>,
  unknown: UnknownModelPolicy,
): void {
  if (unknown === 'estimate' || modelPricing?.estimated === false) return;
  throw new GatewayError(
    'model_not_priced',
    `this gateway has no price for the model "${model}" of ${provider.title} and rejects calls to models without a price; its operator can set a price for ${provider.name}/${model}`,
    { param: 'model' },
  );
}
