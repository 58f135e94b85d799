import { hash, randomBytes } from 'node:crypto';
import type { IdentityId } from '../../kernel/ports/identities.ts';
import type { MailedTokens, TokenPurpose } from '../../kernel/ports/sessions.ts';
import type { Clock } from '../../lib/clock.ts';
import { limits } from '../limits.ts';

export interface MailedLinkParts {
  readonly tokens: Pick<MailedTokens, 'add'>;
  readonly address: { readonly url: string };
  readonly clock: Clock;
}

/** The targets of the links. The token is in the URL fragment, which no server or proxy sees. */
export const linkPaths: Readonly<Record<TokenPurpose, string>> = {
  verify: '/account/verify',
  reset: '/account/reset',
};

/** Creates a link for one purpose and one person, valid once, within an hour. */
export async function createMailedLink(
  { tokens, address, clock }: MailedLinkParts,
  identityId: IdentityId,
  purpose: TokenPurpose,
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const nowMs = clock.now();
  const expiresAtMs = nowMs + limits.mailedTokenLifeMs;
  await tokens.add(
    { hash: hashToken(token), identityId, purpose, expiresAtMs },
    { nowMs, most: limits.mailedTokensMax },
  );
  return `${address.url}${linkPaths[purpose]}#token=${token}`;
}

/** A plain hash is enough for 256 random bits. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}
