import { z } from 'zod';
import type { ApiRoute } from '../route.ts';

export interface HealthParts {
  readonly revision: string;
  readonly startedAtMs: number;
  readonly now: () => number;
  /** Whether each provider's credential is configured. */
  readonly providers: Readonly<Record<string, boolean>>;
  /** Whether it is about to stop. */
  readonly isShuttingDown: () => boolean;
  /** What calls can't do without, by name. */
  readonly stores: Readonly<Record<string, Pingable>>;
}

interface Pingable {
  /** Rejects when there is no answer within a bounded time. */
  ping(): Promise<void>;
  /** Where writing can fail while questions are answered: whether it does. */
  isWritable?(): boolean;
}

const healthSchema = z.strictObject({
  status: z.literal('ok'),
  version: z.string().describe('Build revision, or "dev"'),
  uptime: z.number().describe('Seconds since the process started'),
  startedAt: z.int().describe('Unix milliseconds'),
  providers: z.record(z.string(), z.boolean()).describe('Whether each provider has a credential here'),
});

const storeStates = ['up', 'down', 'unwritable'] as const;
type StoreState = (typeof storeStates)[number];

const readinessSchema = z.object({
  status: z.enum(['ready', 'draining', 'unavailable']),
  stores: z
    .record(z.string(), z.enum(storeStates))
    .describe('Whether each store answers, and takes writes; nothing while it is shutting down'),
});

/** Probes: none of them calls a provider. */
export function healthRoutes(parts: HealthParts): readonly ApiRoute[] {
  return [
    {
      kind: 'own',
      method: 'GET',
      path: '/health',
      summary: 'Whether the process runs',
      tag: 'Operations',
      responses: { 200: { description: 'It runs', schema: healthSchema } },
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
      responses: {
        200: { description: 'Ready', schema: readinessSchema },
        503: { description: 'Shutting down, or a store is away', schema: readinessSchema },
      },
      async handle() {
        // At once: balancers have little time to hear of it, and a store that is slow must not take some of it.
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
