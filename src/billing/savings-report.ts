import { z } from 'zod';
import type { Module, StepAside } from '../kernel/module.ts';
import { formatUsd } from '../kernel/money.ts';
import type { ModuleDay } from '../kernel/ports/records.ts';
import type { JsonObject } from '../lib/json.ts';
import { isCount } from './module-counts.ts';
import { byModule, formatHoldout, savingsOf } from './module-report.ts';
import { holdoutSchema } from './usage-report-schema.ts';
import { callsMax, judge, stepAsideReasons, verdicts } from './verdict.ts';

const methods = {
  holdout:
    'Some conversations, chosen at random, run without the module. The saving is the number of conversations with the module, times the difference between the mean cost of a conversation without it and with it, minus what the module itself spent. The interval is a 90 % confidence sequence: it holds at every moment, so you may look at it as often as you like.',
  hits: "Each hit adds the price of the answer that the provider did not have to give, at the provider's prices for input, output and cache reads; what the module itself spent is subtracted. The saving of every hit is known, so no conversations are held out and there is no interval.",
  estimate:
    "Each call adds what the module left out of it, at the provider's prices for input, output, cache reads and cache writes; what the module itself spent is subtracted. Held-out conversations, if there are any, are too few to confirm or to refute the sum.",
} as const;

type Basis = keyof typeof methods;

/** What the report knows of a module beside its days. */
export interface ReportedModule {
  readonly module: Pick<Module, 'cache' | 'protective'> | undefined;
  readonly stepAside: StepAside | undefined;
}

/** Protective modules are not there to save money. A module that was removed since is reported. */
export function isReported(module: Pick<Module, 'protective'> | undefined): boolean {
  return module?.protective !== true;
}

/** The response of `GET /v1/savings`: what each module saved since its first call. */
export function buildSavingsReport(
  rows: readonly ModuleDay[],
  find: (module: string) => ReportedModule,
): JsonObject {
  return {
    modules: byModule(rows.filter((row) => !isCount(row))).flatMap(([name, days]) => {
      const { module, stepAside } = find(name);
      if (!isReported(module)) return [];
      const aside = stepAside === undefined ? {} : { stepped_aside: formatStepAside(stepAside) };
      return [{ module: name, ...reportOf(days, module?.cache === true), ...aside }];
    }),
  };
}

function reportOf(days: readonly ModuleDay[], isCache: boolean): JsonObject {
  const savings = savingsOf(days);
  const { calls, savedNanoUsd, spentNanoUsd, holdout } = savings;
  const { verdict, isByHoldout } = judge(savings);
  const estimated: Basis = isCache ? 'hits' : 'estimate';
  const basis: Basis = isByHoldout ? 'holdout' : estimated;
  return {
    since: days.reduce((first, { day }) => (day < first ? day : first), '9'),
    calls,
    verdict,
    basis,
    saved_usd: formatUsd(savedNanoUsd),
    spent_usd: formatUsd(spentNanoUsd),
    ...(holdout !== undefined && { holdout: formatHoldout(holdout) }),
    method: methods[basis],
  };
}

function formatStepAside({ sinceMs, untilMs, reason }: StepAside): JsonObject {
  return { since: new Date(sinceMs).toISOString(), until: new Date(untilMs).toISOString(), reason };
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
      basis: z.enum(['holdout', 'hits', 'estimate']).describe('What the verdict is based on'),
      saved_usd: z
        .string()
        .describe(
          "In dollars, as added up call by call, net of the module's own spending and of provider caching",
        ),
      spent_usd: z.string().describe("The cost of the module's own model calls, already subtracted"),
      holdout: holdoutSchema,
      method: z.string().describe('How the saving was measured'),
      stepped_aside: z
        .object({
          since: z.iso.datetime(),
          until: z.iso.datetime().describe('When the module is tried again'),
          reason: z.enum(stepAsideReasons),
        })
        .optional()
        .describe('If the module does nothing at the moment in pipelines that have it with `auto=on`'),
    }),
  ),
});
