import type { ApiRoute } from '../route.ts';

/** The root, and a path that some clients probe before their first call. */
export function welcomeRoutes(mode: string): readonly ApiRoute[] {
  const answer = {
    name: 'weir',
    mode,
    capabilities: '/v1/capabilities',
    health: '/health',
    openapi: '/openapi.json',
  };
  return ['/', '/api/hello'].map((path) => ({
    kind: 'own',
    method: 'GET',
    path,
    summary: 'Get links to descriptions of this gateway',
    tag: 'Information',
    responses: { 200: { description: 'Name, mode and links' } },
    handle: () => ({ body: answer }),
  }));
}
