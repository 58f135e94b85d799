import { randomBytes } from 'node:crypto';
import type { Invitations } from '../kernel/ports/invitations.ts';
import type { Clock } from '../lib/clock.ts';
import { hashToken } from './mail/mailed-links.ts';
import { normalizeEmail } from './user-accounts.ts';

interface InvitationParts {
  readonly invitations: Pick<Invitations, 'put'>;
  readonly address: { readonly url: string };
  readonly clock: Clock;
}

/** Creates a link with which one address can sign up, once. The token is in the URL fragment, which no server or proxy sees. */
export async function createInvitationLink(
  { invitations, address, clock }: InvitationParts,
  email: string,
  lifeMs: number,
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const createdAtMs = clock.now();
  const normalized = normalizeEmail(email);
  await invitations.put({
    email: normalized,
    hash: hashToken(token),
    createdAtMs,
    expiresAtMs: createdAtMs + lifeMs,
  });
  const fragment = new URLSearchParams({ invitation: token, email: normalized });
  return `${address.url}/signup#${fragment}`;
}
