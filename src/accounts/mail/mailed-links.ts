import type { IdentityId } from '../../kernel/ports/identities.ts';
import type { MailedTokens, TokenPurpose } from '../../kernel/ports/sessions.ts';
import type { Clock } from '../../lib/clock.ts';
import { limits } from '../limits.ts';
import { createLinkToken } from '../link-token.ts';

export interface MailedLinkParts {
  readonly tokens: Pick<MailedTokens, 'add'>;
  readonly address: { readonly url: string };
  readonly clock: Clock;
}

/** The targets of the links. */
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
  const { token, hash } = createLinkToken();
  const nowMs = clock.now();
  const expiresAtMs = nowMs + limits.mailedTokenLifeMs;
  await tokens.add({ hash, identityId, purpose, expiresAtMs }, { nowMs, most: limits.mailedTokensMax });
  return `${address.url}${linkPaths[purpose]}#token=${token}`;
}
