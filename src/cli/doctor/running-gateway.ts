import { z } from 'zod';
import { queryProcesses } from '../../process/control-socket.ts';
import type { CheckStatus, NamedResult } from '../../telemetry/diagnostics.ts';

const answerSchema = z.object({
  checks: z.array(
    z.object({
      name: z.string(),
      status: z.enum(['ok', 'degraded', 'failing']),
      detail: z.string(),
      hint: z.string().exactOptional(),
    }),
  ),
});

const severities: Readonly<Record<CheckStatus, number>> = { ok: 0, degraded: 1, failing: 2 };

/** The checks of the gateway that runs on this data folder: of each, the worst result of its processes. Undefined if none runs. */
export async function runningGatewayFindings(dataDir: string): Promise<readonly NamedResult[] | undefined> {
  const answers = await queryProcesses(dataDir, { ask: 'diagnose' }).catch(() => []);
  if (answers.length === 0) return undefined;
  const worst = new Map<string, NamedResult>();
  for (const result of answers.flatMap((answer) => answerSchema.safeParse(answer).data?.checks ?? [])) {
    const known = worst.get(result.name);
    if (known === undefined || severities[result.status] > severities[known.status])
      worst.set(result.name, result);
  }
  return [...worst.values()];
}
