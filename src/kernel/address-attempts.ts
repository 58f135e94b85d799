import { addressBlock, addressSite } from '../lib/address-block.ts';
import { limits } from './limits.ts';
import type { RateLimiter } from './ports/shared-state.ts';

interface AddressCounter {
  readonly address: string;
  /** Names the counter of an address block. */
  counterName(block: string): string;
  readonly most: number;
  readonly seconds: number;
}

/**
 * Counts an attempt from an address; resolves to the seconds to wait, or 0. IPv6 addresses count by their /64 and by
 * their /48.
 */
export async function countAttemptByAddress(
  rateLimiter: RateLimiter,
  attempt: AddressCounter,
): Promise<number> {
  const { address, counterName, most, seconds } = attempt;
  const waitSeconds = await rateLimiter.count(counterName(addressBlock(address)), { most, seconds });
  const site = addressSite(address);
  if (waitSeconds > 0 || site === undefined) return waitSeconds;
  return rateLimiter.count(counterName(site), { most: most * limits.networksPerSite, seconds });
}

/** Resets the attempts of the address. */
export async function resetAddressAttempts(
  rateLimiter: RateLimiter,
  { address, counterName }: Pick<AddressCounter, 'address' | 'counterName'>,
): Promise<void> {
  await rateLimiter.forget(counterName(addressBlock(address)));
  const site = addressSite(address);
  if (site !== undefined) await rateLimiter.forget(counterName(site));
}
