import { z } from 'zod';
import { formatUsd } from '../kernel/money.ts';
import type { ModuleDay } from '../kernel/ports/records.ts';
import type { JsonObject } from '../lib/json.ts';
import { byModule, formatHoldout, type ModuleSavingsSum, savingsOf } from './module-report.ts';
import { holdoutSchema } from './usage-report-schema.ts';

/** After so many calls, a module whose savings still can't be told from nothing is reported as such. */
const callsMax = 2000;

const verdicts = ['saves', 'loses', 'nothing_shown', 'measuring'] as const;
type Verdict = (typeof verdicts)[number];

const methods = {
  holdout:
    'Some conversations, chosen at random, run without the module. The saving is the number of conversations with the module, times the difference between the mean cost of a conversation without it and with it, minus what the module itself spent. The interval is a 90 % confidence sequence: it holds at every moment, so you may look at it as often as you like.',
  estimate:
    "Each call adds what the module left out of it or answered in the provider's place, at the provider's prices for input, output, cache reads and cache writes; what the module itself spent is subtracted. No conversations were held out, so there is no interval.",
} as const;

/** The response of `GET /v1/savings`: what each module saved since its first call. */
export function buildSavingsReport(
  rows: readonly ModuleDay[],
  isListed: (module: string) => boolean,
): JsonObject {
  const listed = rows.filter(({ module }) => isListed(module));
  return { modules: byModule(listed).map(([module, days]) => ({ module, ...reportOf(days) })) };
}

function reportOf(days: readonly ModuleDay[]): JsonObject {
  const savings = savingsOf(days);
  const { calls, savedNanoUsd, spentNanoUsd, holdout } = savings;
  const basis = holdout?.saved === undefined ? 'estimate' : 'holdout';
  return {
    since: days.reduce((first, { day }) => (day < first ? day : first), '9'),
    calls,
    verdict: verdictOn(savings),
    basis,
    saved_usd: formatUsd(savedNanoUsd),
    spent_usd: formatUsd(spentNanoUsd),
    ...(holdout !== undefined && { holdout: formatHoldout(holdout) }),
    method: methods[basis],
  };
}

function verdictOn({ calls, savedNanoUsd, holdout }: ModuleSavingsSum): Verdict {
  const saved = holdout?.saved;
  if (saved !== undefined && saved.low > 0) return 'saves';
  if (saved !== undefined && saved.high < 0) return 'loses';
  if (saved === undefined && savedNanoUsd > 0) return 'saves';
  if (calls < callsMax) return 'measuring';
  return saved === undefined && savedNanoUsd < 0 ? 'loses' : 'nothing_shown';
}

/** The schema of a savings report. */
export const savingsReportSchema = z.object({
  modules: z.array(
    z.object({
      module: z.string(),
      since: z.iso.date().describe('The day of its first call (UTC)'),
      calls: z.int().describe('Calls that the module ran in'),
      verdict: z
        .enum(verdicts)
        .describe(
          `Whether the module saves money; \`nothing_shown\` if that can't be told after ${callsMax} calls`,
        ),
      basis: z.enum(['holdout', 'estimate']).describe('What the verdict is based on'),
      saved_usd: z
        .string()
        .describe(
          "In dollars, as estimated call by call, net of the module's own spending and of provider caching",
        ),
      spent_usd: z.string().describe("The cost of the module's own model calls, already subtracted"),
      holdout: holdoutSchema,
      method: z.string().describe('How the saving was measured'),
    }),
  ),
});
