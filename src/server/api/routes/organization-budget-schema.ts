import { z } from 'zod';
import { type BudgetUse, type ReportedBudget, shareOf } from '../../../billing/budget-report.ts';
import { limits as kernelLimits } from '../../../kernel/limits.ts';
import { formatUsd, type NanoUsd, parseUsd } from '../../../kernel/money.ts';
import {
  type BudgetPeriod,
  type BudgetScope,
  budgetModes,
  budgetScopes,
  formatBudgetPeriod,
  isForEach,
  parseBudgetPeriod,
  rollingPartsMax,
  type StoredBudget,
} from '../../../kernel/ports/stored-budgets.ts';
import { limits } from '../../limits.ts';
import { shortNameSchema, textSchema, timestamp } from '../text.ts';
import { invalidFieldError } from '../validation.ts';

const usdMax = kernelLimits.budgetNanoUsdMax / 1e9;
const nameSchema = shortNameSchema(kernelLimits.budgetNameCharactersMax);
const usdSchema = z
  .string()
  .refine(
    (text) => nanoOf(text) !== undefined,
    `must be an amount in dollars above 0 and at most ${usdMax}, like "0.50"`,
  );
const periodSchema = z
  .string()
  .refine(
    (text) => parseBudgetPeriod(text) !== undefined,
    `must be day, month, or up to ${rollingPartsMax.day} days or ${rollingPartsMax.hour} hours, such as 7d or 24h`,
  );
const modeSchema = z.enum(budgetModes);
const thresholdsSchema = z
  .array(z.int('must be a whole number').min(1).max(100))
  .max(kernelLimits.budgetThresholdsMax);
const scopeSchema = z.enum(budgetScopes);

const texts = {
  name: 'For people: in errors, alerts and lists',
  scope: 'Whose calls it limits',
  project: 'The project, for the scope `project`: calls with its API keys',
  key: 'The API key, for the scope `key`',
  endUser:
    'For the scope `end_user`: an end user, by the name that calls have or the pseudonym of the log. Without it, each end user has the budget',
  tag: 'The name of the tag, for the scope `tag`',
  tagValue: 'Its value. Without it, each value has the budget',
  period:
    'A calendar day or month in UTC, `day` or `month`, or a window that moves on: `7d` for the last 7 days, `24h` for the last 24 hours, with the current one',
  limit: 'In dollars, as a decimal number with up to nine places',
  mode: '`hard` refuses calls that could pass the limit, `warning` raises alerts only',
  thresholds: 'Percentages of the limit at which alerts are raised',
};

const useSchema = z.strictObject({
  value: z
    .string()
    .nullable()
    .describe('The end user, or the value of the tag, that has the budget by itself; otherwise null'),
  spent_usd: z.string(),
  held_usd: z.string().describe('Held for calls in flight: the most that they can cost'),
  left_usd: z.string().describe('The most that a further call may cost'),
  share: z.number().describe('What is spent and held, in relation to the limit: 0.5 for half of it'),
  renews_at: z.iso
    .datetime()
    .describe('When the next period begins; of a window that moves on, when its oldest cost leaves it'),
});

export const budgetSchema = z.strictObject({
  id: z.string(),
  name: z.string().describe(texts.name),
  scope: scopeSchema.describe(texts.scope),
  project_id: z.string().nullable().describe(texts.project),
  key_id: z.string().nullable().describe(texts.key),
  end_user: z.string().nullable().describe('The pseudonym of the end user; null for each'),
  tag: z.string().nullable().describe(texts.tag),
  tag_value: z.string().nullable().describe('null for each'),
  each: z.boolean().describe('Whether each end user, or each value of the tag, has the budget by itself'),
  period: z.string().describe(texts.period),
  limit_usd: z.string(),
  mode: modeSchema.describe(texts.mode),
  thresholds: thresholdsSchema.describe(texts.thresholds),
  share: z.number().describe('The largest of `uses`; 0 without any'),
  uses: z
    .array(useSchema)
    .describe('What is used of it; of each end user or value, the ten that have spent the most'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

/** The body that creates a budget. */
export const newBudget = {
  name: nameSchema.describe(texts.name),
  scope: scopeSchema.describe(texts.scope),
  project_id: textSchema({ min: 1, max: 100 }).optional().describe(texts.project),
  key_id: textSchema({ min: 1, max: 100 }).optional().describe(texts.key),
  end_user: textSchema({ min: 1, max: limits.endUserCharactersMax }).optional().describe(texts.endUser),
  tag: textSchema({ min: 1, max: kernelLimits.tagNameMax }).optional().describe(texts.tag),
  tag_value: textSchema({ min: 1, max: kernelLimits.tagValueBytesMax }).optional().describe(texts.tagValue),
  period: periodSchema.describe(texts.period),
  limit_usd: usdSchema.describe(texts.limit),
  mode: modeSchema.optional().describe(`${texts.mode}; \`hard\` by default`),
  thresholds: thresholdsSchema.optional().describe(`${texts.thresholds}; 50, 80, 95 and 100 by default`),
};

/** The body that changes a budget. */
export const budgetChanges = {
  name: nameSchema.optional().describe(texts.name),
  limit_usd: usdSchema.optional().describe(texts.limit),
  mode: modeSchema.optional().describe(texts.mode),
  thresholds: thresholdsSchema.optional().describe(texts.thresholds),
};

function nanoOf(text: string): NanoUsd | undefined {
  return parseUsd(text, kernelLimits.budgetNanoUsdMax);
}

export function limitIn(text: string): NanoUsd {
  const nano = nanoOf(text);
  if (nano === undefined) throw invalidFieldError('must be an amount in dollars', 'limit_usd');
  return nano;
}

export function periodIn(text: string): BudgetPeriod {
  const period = parseBudgetPeriod(text);
  if (period === undefined) throw invalidFieldError('must be a period', 'period');
  return period;
}

export function ascending(thresholds: readonly number[]): readonly number[] {
  return [...new Set(thresholds)].sort((one, other) => one - other);
}

interface ScopeFields {
  readonly scope: BudgetScope['kind'];
  readonly project_id?: string | undefined;
  readonly key_id?: string | undefined;
  readonly end_user?: string | undefined;
  readonly tag?: string | undefined;
  readonly tag_value?: string | undefined;
}

/** The fields that belong to each scope. */
const scopeFields = {
  organization: [],
  project: ['project_id'],
  key: ['key_id'],
  end_user: ['end_user'],
  tag: ['tag', 'tag_value'],
} as const satisfies Readonly<Record<BudgetScope['kind'], readonly (keyof ScopeFields)[]>>;

export function scopeIn(fields: ScopeFields): BudgetScope {
  const own: readonly string[] = scopeFields[fields.scope];
  for (const name of ['project_id', 'key_id', 'end_user', 'tag', 'tag_value'] as const)
    if (fields[name] !== undefined && !own.includes(name))
      throw invalidFieldError(`does not belong to the scope ${fields.scope}`, name);
  switch (fields.scope) {
    case 'organization':
      return { kind: 'organization' };
    case 'project':
      return { kind: 'project', projectId: required(fields.project_id, 'project_id') };
    case 'key':
      return { kind: 'key', keyId: required(fields.key_id, 'key_id') };
    case 'end_user':
      return { kind: 'end_user', endUser: fields.end_user };
    case 'tag':
      return { kind: 'tag', tag: required(fields.tag, 'tag'), value: fields.tag_value };
  }
}

function required(value: string | undefined, name: string): string {
  if (value === undefined) throw invalidFieldError('is missing', name);
  return value;
}

export function settingsOf({ name, scope, period, limitNanoUsd, mode, thresholds }: StoredBudget) {
  return {
    name,
    scope: scope.kind,
    project_id: scope.kind === 'project' ? scope.projectId : null,
    key_id: scope.kind === 'key' ? scope.keyId : null,
    end_user: (scope.kind === 'end_user' ? scope.endUser : undefined) ?? null,
    tag: scope.kind === 'tag' ? scope.tag : null,
    tag_value: (scope.kind === 'tag' ? scope.value : undefined) ?? null,
    each: isForEach(scope),
    period: formatBudgetPeriod(period),
    limit_usd: formatUsd(limitNanoUsd),
    mode,
    thresholds: [...thresholds],
  };
}

export function describeBudget(reported: ReportedBudget) {
  const { budget, uses } = reported;
  return {
    id: budget.id,
    ...settingsOf(budget),
    share: shareOf(reported),
    uses: uses.map((use) => describeUse(budget, use)),
    created_at: timestamp(budget.createdAtMs),
    updated_at: timestamp(budget.updatedAtMs),
  };
}

function describeUse({ limitNanoUsd }: StoredBudget, { value, spent, held, renewsAtMs }: BudgetUse) {
  return {
    value: value === '' ? null : value,
    spent_usd: formatUsd(spent),
    held_usd: formatUsd(held),
    left_usd: formatUsd(Math.max(0, limitNanoUsd - spent - held)),
    share: (spent + held) / limitNanoUsd,
    renews_at: timestamp(renewsAtMs),
  };
}
