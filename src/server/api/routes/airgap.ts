import { z } from 'zod';
import type { Egress } from '../../../egress/egress.ts';
import { byOperator, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';

const count = z.int().nullable();

const airgapSchema = z.strictObject({
  airgap: z.boolean().describe('Whether `WEIR_AIRGAP` is on'),
  permission_model: z
    .boolean()
    .describe(
      'Whether Node.js denies everything in this process the network, other processes, further threads and native code; allowed connections are handed to it',
    ),
  providers: z.array(z.string()).describe('The providers that may be called'),
  process_id: z.int().describe('The process that answered; each process counts its own connections'),
  started_at: z.iso.datetime(),
  destinations: z.array(
    z.strictObject({
      purpose: z.string().describe('`provider`, `database`, `redis`, `mail`, `billing`, `module:<name>`, …'),
      host: z.string(),
      port: z.int(),
      requests: count.describe('Null for the database and Redis, whose clients connect by themselves'),
      connections: count,
      failures: count.describe('Connections that could not be established'),
      refused: count.describe('Connections and requests that were not made'),
    }),
  ),
});

interface AirgapParts {
  readonly isAirgapped: boolean;
  /** Whether the permission model of Node.js keeps this process from the network. */
  readonly isConfined: boolean;
  readonly providers: readonly string[];
  readonly startedAtMs: number;
  readonly egress: Pick<Egress, 'destinations'>;
}

/** Where the gateway connects to. */
export function airgapRoutes({
  isAirgapped,
  isConfined,
  providers,
  startedAtMs,
  egress,
}: AirgapParts): readonly ApiRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/airgap',
      summary: 'List every destination since the start, with counts',
      tag: 'Operations',
      access: byOperator,
      body: noBody,
      responses: {
        200: { description: 'All destinations', schema: airgapSchema },
        401: { description: 'Missing or wrong operator token' },
        403: { description: 'WEIR_ADMIN_TOKEN is not set' },
      },
      handle: async () => ({
        body: {
          airgap: isAirgapped,
          permission_model: isConfined,
          providers: [...providers],
          process_id: process.pid,
          started_at: timestamp(startedAtMs),
          destinations: egress.destinations().map(({ purpose, host, port, counts }) => ({
            purpose,
            host,
            port,
            requests: counts?.requests ?? null,
            connections: counts?.connections ?? null,
            failures: counts?.failures ?? null,
            refused: counts?.refused ?? null,
          })),
        },
      }),
    }),
  ];
}
