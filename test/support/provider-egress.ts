import { Egress } from '../../src/egress/egress.ts';
import { ProviderEgress } from '../../src/egress/provider-egress.ts';

/** Connections to these addresses of providers. */
export function openProviderEgress(baseUrls: readonly string[]) {
  const egress = new Egress({ isPublicOnly: false });
  const addresses = baseUrls.map((baseUrl) => ({ baseUrl, reach: 'any' as const }));
  return {
    egress: new ProviderEgress({ egress, addresses, silenceMs: 10_000 }),
    close: () => egress.close(),
  };
}
