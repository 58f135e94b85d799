import type { AllowList } from '../egress/allow-list.ts';
import type { Egress } from '../egress/egress.ts';
import { findPublicFault } from '../egress/public-url.ts';
import type { EgressFetch } from '../kernel/ports/fetch.ts';
import { signOnPurpose } from './parts/egress.ts';
import { version } from './version.ts';

/** Which identity providers the gateway may connect to: owners choose their addresses. */
export interface IssuerAccess {
  /** https to public addresses, and others that the operator allows by name. */
  readonly fetch: EgressFetch;
  /** Why the gateway may not connect to an address; undefined if it may. */
  findAddressFault(url: URL): string | undefined;
}

export function openIssuerAccess(parts: {
  readonly egress: Egress;
  readonly allowList: AllowList;
}): IssuerAccess {
  const isAllowed = (origin: string) => parts.allowList.allowsByName(signOnPurpose, origin);
  return {
    fetch: parts.egress.openFetch({
      purpose: signOnPurpose,
      isOwn: true,
      headers: { 'user-agent': `weir/${version}` },
      reachOf(origin) {
        if (isAllowed(origin)) return 'any';
        return origin.startsWith('https:') ? 'public' : undefined;
      },
    }),
    findAddressFault: (url) => (isAllowed(url.origin) ? undefined : findPublicFault(url)),
  };
}
