import { useQuery } from '@tanstack/react-query';
import { capabilities } from './queries.ts';

/** Parts of a gateway that depend on its settings. */
export type Feature = 'checkout' | 'invitations' | 'mail' | 'passkeys' | 'sign-up';

/** False until it is known. */
export function useFeature(name: Feature): boolean {
  return useQuery(capabilities).data?.features.includes(name) === true;
}
