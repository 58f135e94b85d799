import { useSuspenseQuery } from '@tanstack/react-query';
import { capabilities } from '../../api/queries.ts';

/** Who can sign up: anyone, who was invited, or nobody. */
export function useSignUpPolicy(): 'on' | 'invite' | 'off' {
  const { features } = useSuspenseQuery(capabilities).data;
  if (features.includes('sign-up')) return 'on';
  return features.includes('invitations') ? 'invite' : 'off';
}

/** What the link of an invitation says; empty without one. */
export function readInvitation(): { readonly invitation?: string; readonly email?: string } {
  const fragment = new URLSearchParams(window.location.hash.slice(1));
  const [invitation, email] = [fragment.get('invitation'), fragment.get('email')];
  return { ...(invitation !== null && { invitation }), ...(email !== null && { email }) };
}
