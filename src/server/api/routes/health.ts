import { z } from 'zod';
import type { ApiRoute } from '../route.ts';

export interface HealthParts {
  readonly revision: string;
  readonly startedAtMs: number;
  readonly now: () => number;
  /** Whether each provider's credential is configured. */
  readonly providers: Readonly<Record<string, boolean>>;
  readonly isShuttingDown: () => boolean;
  /** The stores that calls require, by name. */
  readonly stores: Readonly<Record<string, Pingable>>;
}

interface Pingable {
  /** Rejects when there is no answer within a bounded time. */
  ping(): Promise<void>;
  /** For stores where writes can fail while reads work. */
  isWritable?(): boolean;
}

const healthSchema = z.strictObject({
  status: z.literal('ok'),
  version: z.string().describe('Build revision, or "dev"'),
  uptime: z.number().describe('Seconds since the process started'),
  startedAt: z.int().describe('Unix milliseconds'),
  providers: z
    .record(z.string(), z.boolean())
    .describe('Whether each provider has a credential on this instance'),
});

const storeStates = ['up', 'down', 'unwritable'] as const;
type StoreState = (typeof storeStates)[number];

const readinessSchema = z.object({
  status: z.enum(['ready', 'draining', 'unavailable']),
  stores: z
    .record(z.string(), z.enum(storeStates))
    .describe('The state of each store; empty while the gateway shuts down'),
});

/** Probes: none of them calls a provider. */
export function healthRoutes(parts: HealthParts): readonly ApiRoute[] {
  return [
    {
      kind: 'own',
      method: 'GET',
      path: '/health',
      summary: 'Liveness probe',
      tag: 'Operations',
      responses: { 200: { description: 'The process is running', schema: healthSchema } },
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
      summary: 'Readiness probe',
      tag: 'Operations',
      responses: {
        200: { description: 'Ready', schema: readinessSchema },
        503: { description: 'Shutting down, or a store is unavailable', schema: readinessSchema },
      },
      async handle() {
        // Skips the stores: load balancers must learn of the shutdown quickly.
        if (parts.isShuttingDown()) return { status: 503, body: { status: 'draining', stores: {} } };
        const stores = await statesOf(parts.stores);
        const isUp = Object.values(stores).every((state) => state === 'up');
        return { status: isUp ? 200 : 503, body: { status: isUp ? 'ready' : 'unavailable', stores } };
      },
    },
  ];
}

async function statesOf(stores: HealthParts['stores']): Promise<Readonly<Record<string, StoreState>>> {
  const all = Object.entries(stores).map(async ([name, store]) => [name, await stateOf(store)] as const);
  return Object.fromEntries(await Promise.all(all));
}

async function stateOf(store: Pingable): Promise<StoreState> {
  try {
    await store.ping();
  } catch {
    return 'down';
  }
  return store.isWritable?.() === false ? 'unwritable' : 'up';
}
