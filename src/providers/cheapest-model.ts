import type { Provider, Target } from '../kernel/provider.ts';
import type { ModelCatalog } from './catalog/model-catalog.ts';

/**
 * The cheapest chat model of these providers. Skips free models, which are rate-limited or trials, and, while there are
 * others, models with unknown features: some were shut down long ago.
 */
export function findCheapestModel(
  providers: readonly Provider[],
  modelCatalog: ModelCatalog,
): Target | undefined {
  const offers = providers.flatMap((provider) => offersOf(provider, modelCatalog));
  const known = offers.filter(({ isVetted }) => isVetted);
  const [first, ...rest] = known.length > 0 ? known : offers;
  return rest.reduce(
    (best, modelOffer) => (modelOffer.rate < best.rate ? modelOffer : best),
    first ?? noOffer,
  ).target;
}

interface ModelOffer {
  readonly target: Target | undefined;
  /** Price of one input and one output token. */
  readonly rate: number;
  readonly isVetted: boolean;
}

const noOffer: ModelOffer = { target: undefined, rate: 0, isVetted: false };

function offersOf(provider: Provider, modelCatalog: ModelCatalog): readonly ModelOffer[] {
  return modelCatalog.list(provider).flatMap(({ id, features }) => {
    const card = modelCatalog.priced(provider, id)?.card;
    const rate = card === undefined ? 0 : card.input + card.output;
    const isVetted = features?.includes('tools') === true;
    return rate > 0 ? [{ target: { provider, model: id }, rate, isVetted }] : [];
  });
}
