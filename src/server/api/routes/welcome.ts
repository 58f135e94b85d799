import type { ApiRoute } from '../route.ts';

/** The root and the probes that clients send before their first call: a quiet yes. */
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
    summary: 'Where to look next',
    tag: 'Information',
    responses: { 200: { description: 'A short greeting' } },
    handle: () => ({ body: answer }),
  }));
}
