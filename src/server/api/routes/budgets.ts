import { z } from 'zod';
import type { BudgetOwner, KeyBudget, KeyBudgets } from '../../../calls/key-budgets.ts';
import { formatUsd } from '../../../kernel/money.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';

const usd = z.string();

const budgetsSchema = z.strictObject({
  budgets: z
    .array(
      z.strictObject({
        key_id: z.string().nullable().describe('null for calls without a key, and for a tag'),
        tag: z
          .strictObject({
            name: z.string(),
            value: z.string().nullable().describe('null for calls without the tag, which share one budget'),
          })
          .nullable()
          .describe('A ceiling of a tag: the lowest that a key of the account sets. Null for a key'),
        name: z
          .string()
          .describe('The name of the key, or its first characters; empty without a key and for a tag'),
        window: z.enum(['day', 'month']).describe('A calendar day or month in UTC'),
        ceiling_usd: usd,
        spent_usd: usd,
        held_usd: usd.describe('Held for calls in flight: the most that they can cost'),
        left_usd: usd.describe('The most that a further call may cost'),
        resets_at: z.iso.datetime(),
      }),
    )
    .describe(
      'Those nearest to their ceiling first; keys without a ceiling are not listed. Of a tag, the 100 values that have spent the most this month',
    ),
});

export interface BudgetRouteParts {
  readonly budgets: KeyBudgets;
  /** The active keys of an account. */
  owners(accountId: string): Promise<readonly BudgetOwner[]>;
}

/** What keys have spent, hold and may still spend under their ceilings. */
export function budgetRoutes({ budgets, owners }: BudgetRouteParts): readonly ApiRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/budgets',
      summary: 'List the spending ceilings of keys and tags, and what is left of them',
      tag: 'Usage',
      access: bySessionOrKey('usage'),
      body: noBody,
      responses: {
        200: { description: 'The ceilings per day and month', schema: budgetsSchema },
        401: { description: 'Missing or invalid credential' },
      },
      async handle({ caller: { accountId } }) {
        const listed = await budgets.list(accountId, await owners(accountId));
        return { body: { budgets: listed.map(describeBudget) } };
      },
    }),
  ];
}

function describeBudget({ owner, window, ceiling, spent, held, endsAtMs }: KeyBudget) {
  const isTag = 'value' in owner;
  return {
    key_id: isTag || owner.keyId === '' ? null : owner.keyId,
    tag: isTag ? { name: owner.name, value: owner.value === '' ? null : owner.value } : null,
    name: isTag ? '' : owner.name,
    window,
    ceiling_usd: formatUsd(ceiling),
    spent_usd: formatUsd(spent),
    held_usd: formatUsd(held),
    left_usd: formatUsd(Math.max(0, ceiling - spent - held)),
    resets_at: timestamp(endsAtMs),
  };
}
