import { z } from 'zod';
import type { AuditFacts } from '../../../audit/facts.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { HoldSide, LegalHold, LegalHolds } from '../../../kernel/ports/legal-holds.ts';
import type { Clock } from '../../../lib/clock.ts';
import { limits } from '../../limits.ts';
import { byOperator, bySession, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';
import { parseQuery } from '../validation.ts';

interface HoldRouteParts {
  readonly holds: LegalHolds;
  readonly clock: Clock;
}

const wrongReason = `must have 1 to ${limits.holdReasonCharactersMax} characters`;
const body = jsonBody({
  reason: z
    .string(wrongReason)
    .trim()
    .min(1, wrongReason)
    .max(limits.holdReasonCharactersMax, wrongReason)
    .describe('Why nothing may be deleted, for the people who are refused'),
});
const holdSchema = z.strictObject({
  side: z.enum(['owner', 'operator']).describe('Who has placed it, and can release it'),
  reason: z.string(),
  placed_at: z.iso.datetime(),
});
const listSchema = z.strictObject({ holds: z.array(holdSchema) });
const operatorListSchema = z.strictObject({
  holds: z.array(holdSchema.extend({ account: z.string() })),
  next_cursor: z.string().nullable().describe('`after` of the next page; null on the last one'),
});
const errors = {
  401: { description: 'Missing or invalid credential' },
  403: { description: 'Your role does not have the right' },
};
const invalid = { 400: { description: 'The body is invalid' } };
const missing = { 404: { description: 'There is no such hold, or no such account' } };

/** Legal holds of owners, and of the operator. */
export function holdRoutes(parts: HoldRouteParts): readonly ApiRoute[] {
  return [...ownerRoutes(parts), ...operatorRoutes(parts)];
}

function ownerRoutes(parts: HoldRouteParts): readonly ApiRoute[] {
  const { holds } = parts;
  const path = '/v1/organization/holds';
  const common = { path, tag: 'Organizations' } as const;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      summary: 'List the legal holds of the account',
      access: bySession('organization'),
      body: noBody,
      responses: { 200: { description: 'Those that stand', schema: listSchema }, ...errors },
      handle: async ({ caller }) => ({ body: { holds: (await holds.of(caller.accountId)).map(describe) } }),
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      audit: 'legal_hold.placed',
      summary: 'Place a legal hold',
      access: bySession('ownership'),
      body,
      responses: {
        200: { description: 'Nothing is deleted from now on', schema: listSchema },
        ...invalid,
        ...errors,
        ...missing,
      },
      async handle({ caller: { accountId }, body: { reason } }) {
        const audit = await place(parts, { accountId, side: 'owner', reason });
        return { body: { holds: (await holds.of(accountId)).map(describe) }, audit };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'legal_hold.released',
      summary: 'Release the legal hold of the owners',
      access: bySession('ownership'),
      body: noBody,
      responses: { 200: { description: 'The other holds', schema: listSchema }, ...errors, ...missing },
      async handle({ caller: { accountId } }) {
        const audit = await release(parts, accountId, 'owner');
        return { body: { holds: (await holds.of(accountId)).map(describe) }, audit };
      },
    }),
  ];
}

function operatorRoutes(parts: HoldRouteParts): readonly ApiRoute[] {
  const { holds } = parts;
  const common = { tag: 'Operations', access: byOperator } as const;
  const path = '/v1/operator/holds/:account';
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/operator/holds',
      summary: 'List the legal holds of all accounts',
      query: { after: 'The `next_cursor` of the page before' },
      body: noBody,
      responses: { 200: { description: 'By the id of the account', schema: operatorListSchema }, ...errors },
      async handle({ query }) {
        const { after = '' } = parseQuery({ after: z.string().optional() }, query);
        const page = await holds.page(after, limits.holdsAtOnce);
        const last = page.length === limits.holdsAtOnce ? page.at(-1)?.accountId : undefined;
        const listed = page.map((hold) => ({ account: hold.accountId, ...describe(hold) }));
        return { body: { holds: listed, next_cursor: last ?? null } };
      },
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      path,
      audit: 'legal_hold.placed',
      summary: 'Place a legal hold on an account',
      body,
      responses: {
        200: { description: 'Nothing is deleted from now on', schema: listSchema },
        ...invalid,
        ...errors,
        ...missing,
      },
      async handle({ parameters: { account: accountId = '' }, body: { reason } }) {
        const audit = await place(parts, { accountId, side: 'operator', reason });
        return { body: { holds: (await holds.of(accountId)).map(describe) }, audit };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path,
      audit: 'legal_hold.released',
      summary: "Release the operator's legal hold on an account",
      body: noBody,
      responses: { 200: { description: 'The other holds', schema: listSchema }, ...errors, ...missing },
      async handle({ parameters: { account: accountId = '' } }) {
        const audit = await release(parts, accountId, 'operator');
        return { body: { holds: (await holds.of(accountId)).map(describe) }, audit };
      },
    }),
  ];
}

async function place(
  { holds, clock }: HoldRouteParts,
  hold: Omit<LegalHold, 'placedAtMs'>,
): Promise<AuditFacts> {
  const before = await reasonOf(holds, hold.accountId, hold.side);
  if (!(await holds.place({ ...hold, placedAtMs: clock.now() })))
    throw new GatewayError('not_found', 'no such account');
  return {
    ...{ account: hold.accountId, side: hold.side },
    ...{ before: { note: before }, after: { note: hold.reason } },
  };
}

async function release({ holds }: HoldRouteParts, account: string, side: HoldSide): Promise<AuditFacts> {
  const before = await reasonOf(holds, account, side);
  if (!(await holds.release(account, side)))
    throw new GatewayError('not_found', `there is no legal hold of the ${side}`);
  return { account, side, before: { note: before }, after: { note: null } };
}

async function reasonOf(holds: LegalHolds, accountId: string, side: HoldSide): Promise<string | null> {
  return (await holds.of(accountId)).find((hold) => hold.side === side)?.reason ?? null;
}

function describe({ side, reason, placedAtMs }: LegalHold): z.infer<typeof holdSchema> {
  return { side, reason, placed_at: timestamp(placedAtMs) };
}
