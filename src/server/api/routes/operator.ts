import { z } from 'zod';
import { effectiveTier } from '../../../billing/tiers.ts';
import { formatUsd } from '../../../kernel/money.ts';
import type { Member, Members } from '../../../kernel/ports/identities.ts';
import type { AccountUsage, UsageStore } from '../../../kernel/ports/records.ts';
import type { RateLimiter } from '../../../kernel/ports/shared-state.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Secret } from '../../../lib/secret.ts';
import { limits } from '../../limits.ts';
import { byOperator, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import type { SessionCookies } from '../session-cookie.ts';
import { timestamp } from '../text.ts';
import { parseQuery } from '../validation.ts';
import { tokenCookieRoutes } from './token-cookie.ts';

export interface OperatorParts {
  /** Undefined if operators have no routes. */
  readonly token: Secret | undefined;
  readonly cookies: SessionCookies;
  readonly attempts: RateLimiter;
  readonly members: Pick<Members, 'owner' | 'owners'>;
  readonly usage: Pick<UsageStore, 'sums'>;
  readonly clock: Clock;
}

const sortNames = ['cost', 'calls', 'email'] as const;
const query = {
  sort: z
    .enum(sortNames)
    .default('cost')
    .describe('By cost or calls in this month, the highest first, or by address'),
  after: z.string().max(320).optional().describe('For `sort=email`: the last address of the page before'),
  after_id: z
    .string()
    .max(100)
    .optional()
    .describe('With `after`: the id of the last account of that page, for owners of several accounts'),
};

const accountsSchema = z.strictObject({
  month: z.string().describe('The current month (UTC), such as 2026-11'),
  accounts: z.array(
    z.strictObject({
      id: z.string(),
      email: z.string().nullable().describe("The owner's address; null for calls without an account"),
      name: z.string().nullable().describe('Of an organization'),
      tier: z.string().nullable(),
      created_at: z.iso.datetime().nullable(),
      disabled_at: z.iso.datetime().nullable(),
      requests: z.int(),
      failed: z.int(),
      tokens: z.int().describe('All input and output tokens, cached ones included'),
      cost_usd: z.string(),
    }),
  ),
  total: z.strictObject({
    accounts: z.int().describe('Accounts with calls in this month'),
    requests: z.int(),
    failed: z.int(),
    cost_usd: z.string(),
  }),
});

const sessionSchema = z.strictObject({
  configured: z.boolean().describe('Whether this gateway has an operator token'),
  open: z.boolean().describe('Whether this request has it'),
});

/** Accounts with their usage, for who runs a gateway in cloud mode. */
export function operatorRoutes(parts: OperatorParts): readonly ApiRoute[] {
  return [...sessionRoutes(parts), accountsRoute(parts)];
}

function accountsRoute({ members, usage, clock }: OperatorParts): ApiRoute {
  return defineRoute({
    method: 'GET',
    path: '/v1/operator/accounts',
    summary: 'List accounts with their usage in this month',
    tag: 'Operations',
    access: byOperator,
    query,
    body: noBody,
    responses: {
      200: { description: `At most ${limits.operatorAccountsMax} accounts`, schema: accountsSchema },
      400: { description: 'A query parameter is invalid' },
      401: { description: 'Missing or wrong operator token' },
      403: { description: 'WEIR_ADMIN_TOKEN is not set' },
    },
    async handle({ query: sent }) {
      const { sort, after, after_id } = parseQuery(query, sent);
      // Ids are hexadecimal.
      const position = after === undefined ? undefined : { email: after, accountId: after_id ?? 'z' };
      const month = new Date(clock.now()).toISOString().slice(0, 7);
      const sums = await usage.sums({
        accountId: undefined,
        from: `${month}-01`,
        to: `${month}-31`,
        per: 'range',
      });
      const byAccount = new Map(sums.map((row) => [row.accountId, row]));
      const rows =
        sort === 'email'
          ? (await members.owners(position, limits.operatorAccountsMax)).map((owner) => ({
              id: owner.account.id,
              owner,
            }))
          : await highest(sums, sort, members);
      const describe = ({ id, owner }: ListedAccount) => describeAccount(id, owner, byAccount.get(id), clock);
      return { body: { month, accounts: rows.map(describe), total: totalOf(sums) } };
    },
  });
}

interface ListedAccount {
  readonly id: string;
  readonly owner: Member | undefined;
}

function highest(
  sums: readonly AccountUsage[],
  sort: 'cost' | 'calls',
  members: OperatorParts['members'],
): Promise<readonly ListedAccount[]> {
  const weight = (row: AccountUsage) => (sort === 'cost' ? row.costNanoUsd : row.requests);
  const shown = sums
    .toSorted((one, other) => weight(other) - weight(one))
    .slice(0, limits.operatorAccountsMax);
  return Promise.all(shown.map(async ({ accountId: id }) => ({ id, owner: await members.owner(id) })));
}

function describeAccount(
  id: string,
  owner: Member | undefined,
  sums: AccountUsage | undefined,
  clock: Clock,
) {
  const disabledAtMs = owner?.identity.disabledAtMs ?? null;
  return {
    id,
    email: owner?.identity.email ?? null,
    name: owner?.account.name ?? null,
    tier: owner === undefined ? null : effectiveTier(owner.account, clock.now()),
    created_at: owner === undefined ? null : timestamp(owner.identity.createdAtMs),
    disabled_at: disabledAtMs === null ? null : timestamp(disabledAtMs),
    requests: sums?.requests ?? 0,
    failed: sums?.failed ?? 0,
    tokens: sums === undefined ? 0 : tokensOf(sums),
    cost_usd: formatUsd(sums?.costNanoUsd ?? 0),
  };
}

function tokensOf(sums: AccountUsage): number {
  return sums.inputTokens + sums.outputTokens + sums.cacheReadTokens + sums.cacheWriteTokens;
}

function totalOf(sums: readonly AccountUsage[]) {
  const sum = (field: 'requests' | 'failed' | 'costNanoUsd') =>
    sums.reduce((total, row) => total + row[field], 0);
  return {
    accounts: sums.length,
    requests: sum('requests'),
    failed: sum('failed'),
    cost_usd: formatUsd(sum('costNanoUsd')),
  };
}

/** Exchanges the operator's token for a cookie, for the dashboard. */
function sessionRoutes({ token: operatorToken, cookies, attempts }: OperatorParts): readonly ApiRoute[] {
  const path = '/v1/operator/session';
  const tag = 'Operations';
  return [
    {
      kind: 'own',
      method: 'GET',
      path,
      summary: 'Get whether this browser has the operator token',
      tag,
      access: 'public',
      responses: { 200: { description: 'The current state', schema: sessionSchema } },
      async handle({ access, ...request }) {
        const open = await access.operator(request).then(
          () => true,
          () => false,
        );
        return { body: { configured: operatorToken !== undefined, open } };
      },
    },
    ...tokenCookieRoutes({
      ...{ path, tag, owner: 'operator', setting: 'WEIR_ADMIN_TOKEN', cookieName: '`weir_operator`' },
      open: (token) => (operatorToken?.equals(token) === true ? cookies.set(token) : undefined),
      cookies,
      attempts,
    }),
  ];
}
