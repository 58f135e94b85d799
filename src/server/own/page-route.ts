import type { OwnRoute } from './route.ts';

interface PageParts extends Pick<OwnRoute, 'path' | 'summary' | 'tag'> {
  /** For `cache-control`. */
  readonly caching: string;
  /** What the page may load and run. */
  readonly policy: string;
  readonly body: string;
}

/** A page for anybody, which tells nobody where it was left from. */
export function pageRoute({ path, summary, tag, caching, policy, body }: PageParts): OwnRoute {
  return {
    kind: 'own',
    method: 'GET',
    path,
    summary,
    tag,
    access: 'public',
    answers: { 200: { description: 'A page', type: 'text/html' } },
    handle: () => ({
      headers: [
        'cache-control',
        caching,
        'content-security-policy',
        policy,
        'referrer-policy',
        'no-referrer',
      ],
      type: 'text/html; charset=utf-8',
      body,
    }),
  };
}
