import { z } from 'zod';
import { changeOf } from '../../../audit/change.ts';
import type { AuditFacts } from '../../../audit/facts.ts';
import type { AccountBudgets } from '../../../billing/account-budgets.ts';
import { type BudgetReport, shareOf } from '../../../billing/budget-report.ts';
import { defaultPageLimit, pageLimitSchema } from '../../../kernel/input-schemas.ts';
import type { StoredBudget } from '../../../kernel/ports/stored-budgets.ts';
import { limits } from '../../limits.ts';
import { bySession, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { TimeCursors } from '../time-cursor.ts';
import { parseQuery } from '../validation.ts';
import {
  ascending,
  budgetChanges,
  budgetSchema,
  describeBudget,
  limitIn,
  newBudget,
  periodIn,
  scopeIn,
  settingsOf,
} from './organization-budget-schema.ts';

const cursors = new TimeCursors(/^[0-9a-f-]{36}$/);
const query = {
  limit: pageLimitSchema(limits.budgetPageMax),
  after: cursors.querySchema('A `next_cursor`: returns the budgets that follow it'),
};
const pageSchema = z.strictObject({
  budgets: z.array(budgetSchema).describe('Those nearest to their limit first'),
  total: z.int(),
  next_cursor: z.string().nullable().describe('For `after`; null at the end'),
});

const unauthenticated = { 401: { description: 'Missing or invalid session token' } };
const refused = {
  ...unauthenticated,
  400: { description: 'The body is invalid' },
  403: { description: 'Your role does not have the right' },
};
const unknown = { 404: { description: 'The organization has no such budget' } };

export interface OrganizationBudgetRouteParts {
  readonly budgets: AccountBudgets;
  readonly report: BudgetReport;
}

/** The budgets of the organization of this session. */
export function organizationBudgetRoutes({
  budgets,
  report,
}: OrganizationBudgetRouteParts): readonly ApiRoute[] {
  const path = '/v1/organization/budgets';
  const common = { tag: 'Organizations', access: bySession('usage') } as const;
  const describeOne = async (budget: StoredBudget) => {
    const [reported] = await report.of([budget]);
    return describeBudget(reported ?? { budget, uses: [] });
  };
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path,
      summary: 'List budgets with what is used of them, those nearest to their limit first',
      query,
      body: noBody,
      responses: {
        200: { description: 'A page of budgets', schema: pageSchema },
        400: { description: 'A query parameter is invalid' },
        ...unauthenticated,
      },
      async handle({ caller: { accountId }, query: sent }) {
        const { limit = defaultPageLimit, after } = parseQuery(query, sent);
        const all = (await report.of(await budgets.list(accountId))).map((one) => ({
          one,
          position: { atMs: Math.min(1e12, Math.round(shareOf(one) * 1e6)), id: one.budget.id },
        }));
        const sorted = all.toSorted((one, other) => compare(one.position, other.position));
        const before = after === undefined ? undefined : cursors.decode(after);
        const rest =
          before === undefined ? sorted : sorted.filter(({ position }) => compare(position, before) > 0);
        const shown = rest.slice(0, limit);
        const last = rest.length > limit ? shown.at(-1) : undefined;
        return {
          body: {
            budgets: shown.map(({ one }) => describeBudget(one)),
            total: all.length,
            next_cursor: last === undefined ? null : cursors.encode(last.position),
          },
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'budget.created',
      path,
      summary: 'Create a budget',
      body: jsonBody(newBudget),
      responses: {
        201: {
          description: 'The budget, which limits the next call on all replicas',
          schema: budgetSchema,
        },
        ...refused,
        409: { description: 'The organization has too many budgets' },
      },
      async handle({ caller: { accountId }, body }) {
        const { name, mode = 'hard', thresholds = defaultThresholds } = body;
        const budget = await budgets.create({
          ...{ accountId, name, mode, scope: scopeIn(body), thresholds: ascending(thresholds) },
          period: periodIn(body.period),
          limitNanoUsd: limitIn(body.limit_usd),
        });
        return {
          status: 201,
          body: await describeOne(budget),
          audit: changeOfBudget(undefined, budget),
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: `${path}/:id`,
      summary: 'Get a budget with what is used of it',
      body: noBody,
      responses: { 200: { description: 'The budget', schema: budgetSchema }, ...unauthenticated, ...unknown },
      async handle({ caller: { accountId }, parameters: { id = '' } }) {
        return { body: await describeOne(await budgets.find(accountId, id)) };
      },
    }),
    defineRoute({
      ...common,
      method: 'PATCH',
      audit: 'budget.changed',
      path: `${path}/:id`,
      summary: 'Change the name, limit, mode or thresholds of a budget; scope and period stay',
      body: jsonBody(budgetChanges),
      responses: {
        200: { description: 'The budget, which limits the next call on all replicas', schema: budgetSchema },
        ...refused,
        ...unknown,
      },
      async handle({ caller: { accountId }, parameters: { id = '' }, body }) {
        const { name, limit_usd, mode, thresholds } = body;
        const before = await budgets.find(accountId, id);
        const budget = await budgets.change(accountId, id, {
          ...(name !== undefined && { name }),
          ...(limit_usd !== undefined && { limitNanoUsd: limitIn(limit_usd) }),
          ...(mode !== undefined && { mode }),
          ...(thresholds !== undefined && { thresholds: ascending(thresholds) }),
        });
        return { body: await describeOne(budget), audit: changeOfBudget(before, budget) };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'budget.deleted',
      path: `${path}/:id`,
      summary: 'Delete a budget, which limits no further call on any replica',
      body: noBody,
      responses: { 204: { description: 'Deleted' }, ...refused, ...unknown },
      async handle({ caller: { accountId }, parameters: { id = '' } }) {
        const before = await budgets.find(accountId, id);
        await budgets.delete(accountId, id);
        return { status: 204, audit: changeOfBudget(before, undefined) };
      },
    }),
  ];
}

const defaultThresholds = [50, 80, 95, 100];

/** The order of the list: by share, then by id. */
function compare(
  one: { readonly atMs: number; readonly id: string },
  other: { readonly atMs: number; readonly id: string },
): number {
  return other.atMs - one.atMs || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

function changeOfBudget(before: StoredBudget | undefined, after: StoredBudget | undefined): AuditFacts {
  const fieldsOf = (budget: StoredBudget | undefined) => (budget === undefined ? {} : settingsOf(budget));
  return { budget: (after ?? before)?.id ?? '', ...changeOf(fieldsOf(before), fieldsOf(after)) };
}
