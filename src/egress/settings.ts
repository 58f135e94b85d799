import { commaSeparatedList } from '../lib/setting-schemas.ts';
import { envVariable } from '../lib/settings.ts';
import { type AllowedAddress, parseAllowedAddress } from './allow-list.ts';

const allowedAddresses = commaSeparatedList.transform((items, context): readonly AllowedAddress[] =>
  items.flatMap((item) => {
    const address = parseAllowedAddress(item);
    if (address === undefined)
      context.addIssue(`"${item}" must be an origin such as https://api.example.com, name=origin, or name=*`);
    return address ?? [];
  }),
);

/** Settings of outbound connections. */
export const egressSettings = {
  /** Addresses that modules may connect to, and that may be private. */
  egressAllow: envVariable('WEIR_EGRESS_ALLOW', allowedAddresses.default([])),
} as const;
