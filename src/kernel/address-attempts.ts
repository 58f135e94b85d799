import { addressBlock, addressSite } from './address-block.ts';
import { limits } from './limits.ts';
import type { Attempts } from './ports/shared-state.ts';

interface AddressAttempt {
  readonly address: string;
  /** What the tries of a block of addresses are called. */
  name(block: string): string;
  readonly most: number;
  readonly seconds: number;
}

/** Counts a try from an address; resolves to the seconds to wait, or 0. IPv6 addresses count by their /64, and by their /48. */
export async function countByAddress(attempts: Attempts, attempt: AddressAttempt): Promise<number> {
  const { address, name, most, seconds } = attempt;
  const waitSeconds = await attempts.count(name(addressBlock(address)), { most, seconds });
  const site = addressSite(address);
  if (waitSeconds > 0 || site === undefined) return waitSeconds;
  return attempts.count(name(site), { most: most * limits.networksPerSite, seconds });
}

/** The address has all tries again. */
export async function forgetAddress(
  attempts: Attempts,
  { address, name }: Pick<AddressAttempt, 'address' | 'name'>,
): Promise<void> {
  await attempts.forget(name(addressBlock(address)));
  const site = addressSite(address);
  if (site !== undefined) await attempts.forget(name(site));
}
