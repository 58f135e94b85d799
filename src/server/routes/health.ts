import { z } from 'zod';
import type { OwnRoute } from '../route.ts';

export interface HealthParts {
  readonly revision: string;
  readonly startedAtMs: number;
  readonly now: () => number;
  /** Whether each provider's credential is configured. */
  readonly providers: Readonly<Record<string, boolean>>;
  readonly isDraining: () => boolean;
}

const health = z.strictObject({
  status: z.literal('ok'),
  version: z.string().describe('Build revision, or "dev"'),
  uptime: z.number().describe('Seconds since the process started'),
  startedAt: z.int().describe('Unix milliseconds'),
  providers: z.record(z.string(), z.boolean()).describe('Whether each provider has a credential here'),
});

const readiness = z.object({ status: z.enum(['ready', 'draining']) });

/** Probes: none of them calls a provider. */
export function healthRoutes(parts: HealthParts): readonly OwnRoute[] {
  return [
    {
      kind: 'own',
      method: 'GET',
      path: '/health',
      summary: 'Whether the process runs',
      tag: 'Operations',
      answers: { 200: { description: 'It runs', schema: health } },
      handle: () => ({
        body: {
          status: 'ok',
          version: parts.revision,
          uptime: (parts.now() - parts.startedAtMs) / 1000,
          startedAt: parts.startedAtMs,
          providers: parts.providers,
        },
      }),
    },
    {
      kind: 'own',
      method: 'GET',
      path: '/ready',
      summary: 'Whether calls should be sent here',
      tag: 'Operations',
      answers: {
        200: { description: 'Ready', schema: readiness },
        503: { description: 'Shutting down', schema: readiness },
      },
      handle: () =>
        parts.isDraining() ? { status: 503, body: { status: 'draining' } } : { body: { status: 'ready' } },
    },
  ];
}
