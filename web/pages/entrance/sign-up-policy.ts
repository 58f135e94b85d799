import { useFeature } from '../../api/features.ts';

/** Who can sign up: anyone, who was invited, or nobody. */
export function useSignUpPolicy(): 'on' | 'invite' | 'off' {
  const isOpen = useFeature('sign-up');
  const isByInvitation = useFeature('invitations');
  if (isOpen) return 'on';
  return isByInvitation ? 'invite' : 'off';
}

/** What the link of an invitation says; empty without one. */
export function readInvitation(): { readonly invitation?: string; readonly email?: string } {
  const fragment = new URLSearchParams(window.location.hash.slice(1));
  const [invitation, email] = [fragment.get('invitation'), fragment.get('email')];
  return { ...(invitation !== null && { invitation }), ...(email !== null && { email }) };
}
