import { accountPage, accountPagePolicy } from '../../../accounts/mail/account-pages.ts';
import { linkPaths } from '../../../accounts/mail/mailed-links.ts';
import type { TokenPurpose } from '../../../kernel/ports/sessions.ts';
import type { OwnRoute } from '../route.ts';

/** Where links in mails lead. */
export function accountPagesRoutes(): readonly OwnRoute[] {
  return [
    pageRoute('verify', 'Where a link to confirm an address leads'),
    pageRoute('reset', 'Where a link to set a password leads'),
  ];
}

function pageRoute(purpose: TokenPurpose, summary: string): OwnRoute {
  const body = accountPage(purpose);
  return {
    kind: 'own',
    method: 'GET',
    path: linkPaths[purpose],
    summary,
    tag: 'Accounts',
    access: 'public',
    answers: { 200: { description: 'A page', type: 'text/html' } },
    handle: () => ({
      headers: [
        'cache-control',
        'no-store',
        'content-security-policy',
        accountPagePolicy,
        'x-content-type-options',
        'nosniff',
        'referrer-policy',
        'no-referrer',
      ],
      type: 'text/html; charset=utf-8',
      body,
    }),
  };
}
