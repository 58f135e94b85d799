import type { ApiRoute } from './route.ts';

interface PageParts extends Pick<ApiRoute, 'path' | 'summary' | 'tag'> {
  /** For `cache-control`. */
  readonly caching: string;
  /** What the page may load and run. */
  readonly policy: string;
  readonly body: string;
}

/** A page for anybody, which tells nobody where it was left from. */
export function createPageRoute({ path, summary, tag, caching, policy, body }: PageParts): ApiRoute {
  return {
    kind: 'own',
    method: 'GET',
    path,
    summary,
    tag,
    access: 'public',
    responses: { 200: { description: 'A page', contentType: 'text/html' } },
    handle: () => ({
      headers: [
        'cache-control',
        caching,
        'content-security-policy',
        policy,
        'referrer-policy',
        'no-referrer',
      ],
      contentType: 'text/html; charset=utf-8',
      body,
    }),
  };
}
