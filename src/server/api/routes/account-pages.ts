import { accountPage, accountPagePolicy } from '../../../accounts/mail/account-pages.ts';
import { linkPaths } from '../../../accounts/mail/mailed-links.ts';
import type { TokenPurpose } from '../../../kernel/ports/sessions.ts';
import { createPageRoute } from '../page-route.ts';
import type { ApiRoute } from '../route.ts';

/** The pages that links in mails open. */
export function accountPageRoutes(): readonly ApiRoute[] {
  return [
    mailedLinkRoute('verify', 'The page that confirms an email address'),
    mailedLinkRoute('reset', 'The page that sets a new password'),
  ];
}

function mailedLinkRoute(purpose: TokenPurpose, summary: string): ApiRoute {
  return createPageRoute({
    path: linkPaths[purpose],
    summary,
    tag: 'Accounts',
    caching: 'no-store',
    policy: accountPagePolicy,
    body: accountPage(purpose),
  });
}
