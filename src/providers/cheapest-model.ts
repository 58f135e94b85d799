import type { Provider, Target } from '../kernel/provider.ts';
import type { Catalog } from './catalog/catalog.ts';

/**
 * The chat model of these providers that costs least. What is sold for nothing is passed over, since that is limited or a
 * trial; and so are models that nobody has looked at, as long as there are others: some are long gone.
 */
export function cheapestModel(providers: readonly Provider[], catalog: Catalog): Target | undefined {
  const offers = providers.flatMap((provider) => offersOf(provider, catalog));
  const known = offers.filter(({ isKnown }) => isKnown);
  const [first, ...rest] = known.length > 0 ? known : offers;
  return rest.reduce((best, offer) => (offer.rate < best.rate ? offer : best), first ?? noOffer).target;
}

interface Offer {
  readonly target: Target | undefined;
  /** Of a token in and one out. */
  readonly rate: number;
  readonly isKnown: boolean;
}

const noOffer: Offer = { target: undefined, rate: 0, isKnown: false };

function offersOf(provider: Provider, catalog: Catalog): readonly Offer[] {
  return catalog.list(provider).flatMap(({ id, features }) => {
    const card = catalog.priced(provider, id)?.card;
    const rate = card === undefined ? 0 : card.input + card.output;
    const isKnown = features?.includes('tools') === true;
    return rate > 0 ? [{ target: { provider, model: id }, rate, isKnown }] : [];
  });
}
