import { z } from 'zod';
import { countAddressAttempt } from '../../../accounts/count-attempt.ts';
import type { GatewayProcess } from '../../../kernel/ports/processes.ts';
import type { RateLimiter } from '../../../kernel/ports/shared-state.ts';
import { type CheckReport, overallStatus } from '../../../telemetry/diagnostics.ts';
import { limits } from '../../limits.ts';
import { byOperator, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';
import { parseQuery } from '../validation.ts';

const status = z.enum(['ok', 'degraded', 'failing']);

const diagnosticsSchema = z.strictObject({
  status: status.describe('The worst of all checks'),
  version: z.string(),
  revision: z.string().describe('Build revision, or "dev"'),
  mode: z.enum(['local', 'cloud']),
  process_id: z.int().describe('The process that answered; each process of each replica has its own view'),
  started_at: z.iso.datetime(),
  open_calls: z.int(),
  memory_mib: z.int().describe('Resident memory of the process'),
  processes: z
    .array(
      z.strictObject({
        host: z.string(),
        process_id: z.int(),
        version: z.string(),
        revision: z.string(),
        configuration: z
          .string()
          .nullable()
          .describe('The version of the settings that it serves new calls with; null if unknown'),
        started_at: z.iso.datetime(),
      }),
    )
    .describe('Processes of all replicas that were seen in the last minutes'),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      status,
      ms: z.int().describe('How long the check took'),
      detail: z.string().describe('What was found'),
      hint: z.string().nullable().describe('What to do; null if the check passed'),
    }),
  ),
});

const query = {
  providers: z
    .enum(['0', '1'])
    .default('0')
    .describe('`1` also calls each provider that the operator has configured; nothing is billed'),
};

export interface DiagnosticsParts {
  readonly version: string;
  readonly revision: string;
  readonly mode: string;
  readonly startedAtMs: number;
  /** Runs the checks; with `providers`, also calls each configured provider. */
  diagnose(options: { readonly providers: boolean }): Promise<readonly CheckReport[]>;
  readonly attempts: RateLimiter;
  openCalls(): number;
  /** Rejects if the database is not available. */
  processes(): Promise<readonly GatewayProcess[]>;
}

/** What a gateway depends on, and whether it works. */
export function diagnosticsRoutes(parts: DiagnosticsParts): readonly ApiRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/diagnostics',
      summary: 'Check what the gateway depends on',
      tag: 'Operations',
      access: byOperator,
      query,
      body: noBody,
      responses: {
        200: { description: 'The checks, also if some of them fail', schema: diagnosticsSchema },
        400: { description: 'A query parameter is invalid' },
        401: { description: 'Missing or wrong operator token' },
        403: { description: 'WEIR_ADMIN_TOKEN is not set' },
        429: { description: 'Too many requests' },
      },
      async handle({ remoteAddress, query: sent }) {
        const { providers } = parseQuery(query, sent);
        await countAddressAttempt(parts.attempts, {
          address: remoteAddress,
          counterName: (block) => `diagnostics:${block}`,
          ...limits.diagnosticsPerAddress,
        });
        const [checks, processes] = await Promise.all([
          parts.diagnose({ providers: providers === '1' }),
          parts.processes().catch(() => []),
        ]);
        return {
          body: {
            status: overallStatus(checks),
            version: parts.version,
            revision: parts.revision,
            mode: parts.mode,
            process_id: process.pid,
            started_at: timestamp(parts.startedAtMs),
            open_calls: parts.openCalls(),
            memory_mib: Math.round(process.memoryUsage.rss() / 1024 / 1024),
            processes: processes.map(({ host, pid, version, revision, configuration, startedAtMs }) => ({
              host,
              process_id: pid,
              version,
              revision,
              configuration,
              started_at: timestamp(startedAtMs),
            })),
            checks: checks.map(({ hint = null, ...check }) => ({ ...check, hint })),
          },
        };
      },
    }),
  ];
}
