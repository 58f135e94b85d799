import { accountPage, accountPagePolicy } from '../../../accounts/mail/account-pages.ts';
import { linkPaths } from '../../../accounts/mail/mailed-links.ts';
import type { TokenPurpose } from '../../../kernel/ports/sessions.ts';
import { createPageRoute } from '../page-route.ts';
import type { ApiRoute } from '../route.ts';

/** Where links in mails lead. */
export function accountPageRoutes(): readonly ApiRoute[] {
  return [
    mailedLinkRoute('verify', 'Where a link to confirm an address leads'),
    mailedLinkRoute('reset', 'Where a link to set a password leads'),
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
