import { z } from 'zod';
import { withTimeout } from '../../../lib/with-timeout.ts';
import { limits } from '../../limits.ts';
import type { ApiRoute } from '../route.ts';

export interface HealthParts {
  readonly revision: string;
  readonly startedAtMs: number;
  readonly now: () => number;
  /** Whether each provider's credential is configured. */
  readonly providers: Readonly<Record<string, boolean>>;
  readonly isShuttingDown: () => boolean;
  /** Without one of these, calls fail. */
  readonly requiredStores: Readonly<Record<string, Store>>;
  /** Calls survive the loss of these for a while. */
  readonly otherStores: Readonly<Record<string, Store>>;
}

interface Store {
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
  status: z
    .enum(['ready', 'degraded', 'draining', 'unavailable'])
    .describe('degraded: calls are served, but a store that they can do without for a while is not'),
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
        200: { description: 'Ready, or degraded', schema: readinessSchema },
        503: {
          description: 'Shutting down, or a store that calls require is unavailable',
          schema: readinessSchema,
        },
      },
      async handle() {
        // Skips the stores: load balancers must learn of the shutdown quickly.
        if (parts.isShuttingDown()) return { status: 503, body: { status: 'draining', stores: {} } };
        const [required, others] = await Promise.all([
          statesOf(parts.requiredStores),
          statesOf(parts.otherStores, limits.probeMs),
        ]);
        const stores = { ...required, ...others };
        if (!areUp(required)) return { status: 503, body: { status: 'unavailable', stores } };
        // A database is lost to all replicas at once: with 503, a load balancer would reject calls that each of them serves.
        return { body: { status: areUp(others) ? 'ready' : 'degraded', stores } };
      },
    },
  ];
}

type States = Readonly<Record<string, StoreState>>;

function areUp(states: States): boolean {
  return Object.values(states).every((state) => state === 'up');
}

async function statesOf(stores: Readonly<Record<string, Store>>, withinMs?: number): Promise<States> {
  const all = Object.entries(stores).map(
    async ([name, store]) => [name, await stateOf(store, withinMs)] as const,
  );
  return Object.fromEntries(await Promise.all(all));
}

async function stateOf(store: Store, withinMs?: number): Promise<StoreState> {
  try {
    const ping = store.ping();
    await (withinMs === undefined ? ping : withTimeout(ping, withinMs, () => new Error('no answer in time')));
  } catch {
    return 'down';
  }
  return store.isWritable?.() === false ? 'unwritable' : 'up';
}
