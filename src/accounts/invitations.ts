import type { Invitations } from '../kernel/ports/invitations.ts';
import type { Clock } from '../lib/clock.ts';
import { createLinkToken } from './link-token.ts';
import { normalizeEmail } from './user-accounts.ts';

interface InvitationParts {
  readonly invitations: Pick<Invitations, 'put'>;
  readonly address: { readonly url: string };
  readonly clock: Clock;
}

/** Creates a link with which one address can sign up, once. */
export async function createInvitationLink(
  { invitations, address, clock }: InvitationParts,
  email: string,
  lifeMs: number,
): Promise<string> {
  const { token, hash } = createLinkToken();
  const createdAtMs = clock.now();
  const normalized = normalizeEmail(email);
  const expiresAtMs = createdAtMs + lifeMs;
  await invitations.put({ email: normalized, hash, createdAtMs, expiresAtMs });
  const fragment = new URLSearchParams({ invitation: token, email: normalized });
  return `${address.url}/signup#${fragment}`;
}
