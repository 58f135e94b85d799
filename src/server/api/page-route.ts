import type { ApiRoute } from './route.ts';

interface PageParts extends Pick<ApiRoute, 'path' | 'summary' | 'tag'> {
  /** The `cache-control` header. */
  readonly caching: string;
  /** The `content-security-policy` header. */
  readonly policy: string;
  readonly body: string;
}

/** A public page without referrer. */
export function createPageRoute({ path, summary, tag, caching, policy, body }: PageParts): ApiRoute {
  return {
    kind: 'own',
    method: 'GET',
    path,
    summary,
    tag,
    access: 'public',
    responses: { 200: { description: 'An HTML page', contentType: 'text/html' } },
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
