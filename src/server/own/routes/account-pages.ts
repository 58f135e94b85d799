import { accountPage, accountPagePolicy } from '../../../accounts/mail/account-pages.ts';
import { linkPaths } from '../../../accounts/mail/mailed-links.ts';
import type { TokenPurpose } from '../../../kernel/ports/sessions.ts';
import { pageRoute } from '../page-route.ts';
import type { OwnRoute } from '../route.ts';

/** Where links in mails lead. */
export function accountPagesRoutes(): readonly OwnRoute[] {
  return [
    linkRoute('verify', 'Where a link to confirm an address leads'),
    linkRoute('reset', 'Where a link to set a password leads'),
  ];
}

function linkRoute(purpose: TokenPurpose, summary: string): OwnRoute {
  return pageRoute({
    path: linkPaths[purpose],
    summary,
    tag: 'Accounts',
    caching: 'no-store',
    policy: accountPagePolicy,
    body: accountPage(purpose),
  });
}
