import { z } from 'zod';
import { changeOf } from '../../../audit/change.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import {
  type DataRetentions,
  type RetainedKind,
  retainedKinds,
} from '../../../kernel/ports/data-retentions.ts';
import type { AccountRetentions } from '../../../telemetry/request-log/account-retentions.ts';
import { limits } from '../../limits.ts';
import { bySession, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';

const kinds = ['requests', ...retainedKinds] as const;
type Kind = (typeof kinds)[number];

interface Bounds {
  readonly leastDays: number;
  /** How long the instance keeps it; undefined for ever. */
  readonly mostDays: number | undefined;
}

interface RetentionRouteParts {
  readonly retentions: DataRetentions;
  readonly calls: AccountRetentions;
  /** What the operator allows. */
  readonly bounds: Readonly<Record<Kind, Bounds>>;
}

const days = z.int().nullable();
const schema = z.strictObject({
  kinds: z.array(
    z.strictObject({
      kind: z.enum(kinds),
      days: days.describe('After so many days it is deleted; null for never'),
      own_days: days.describe('The choice of the account; null if it has made none'),
      min_days: z.int().describe('The shortest time that can be chosen'),
      max_days: days.describe('How long this instance keeps it; null for ever'),
      items: z.int().describe('How many are stored'),
      is_more: z.boolean().describe('Whether there are more than were counted'),
      bytes: z.int().nullable().describe('Their size; null where it is not known'),
    }),
  ),
});
const wrong = 'must be a whole number of days, or null';
const choice = z.int(wrong).min(1, wrong).nullable().optional();
const bodyFields = {
  requests: choice.describe('Calls of the log, and their recordings'),
  recordings: choice.describe('Recordings'),
  archive: choice.describe('Archived parts of conversations'),
  patterns: choice.describe('Learned patterns, since they were confirmed last'),
  audit: choice.describe('The audit log'),
};
const errors = {
  401: { description: 'Missing or invalid session token' },
  403: { description: 'Your role does not have the right' },
};

/** How long the data of an account is kept. */
export function retentionRoutes({ retentions, calls, bounds }: RetentionRouteParts): readonly ApiRoute[] {
  const choices = async (accountId: string): Promise<Readonly<Record<Kind, number | null>>> => {
    const own = new Map<Kind, number>((await retentions.of(accountId)).map((one) => [one.kind, one.days]));
    const of = (kind: RetainedKind) => own.get(kind) ?? null;
    const requests = (await calls.table.find(accountId)) ?? null;
    return {
      ...{ requests, recordings: of('recordings'), archive: of('archive') },
      ...{ patterns: of('patterns'), audit: of('audit') },
    };
  };
  const mostDays = async (accountId: string, kind: Kind) => {
    const { mostDays: ofInstance } = bounds[kind];
    const ofTier = kind === 'requests' ? await calls.mostDays(accountId) : undefined;
    return least(ofInstance, ofTier);
  };
  const describe = async (accountId: string): Promise<z.infer<typeof schema>> => {
    const own = await choices(accountId);
    const described = kinds.map(async (kind) => {
      const most = await mostDays(accountId, kind);
      const { items, bytes } = await retentions.stored(accountId, kind, limits.retainedItemsCounted);
      return {
        kind,
        days: least(own[kind] ?? undefined, most) ?? null,
        own_days: own[kind],
        min_days: bounds[kind].leastDays,
        max_days: most ?? null,
        items,
        is_more: kind === 'requests' && items === limits.retainedItemsCounted,
        bytes: bytes ?? null,
      };
    });
    return { kinds: await Promise.all(described) };
  };
  const common = {
    path: '/v1/organization/retention',
    tag: 'Organizations',
    access: bySession('data'),
  } as const;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      summary: 'Get how long data is kept, and how much is stored',
      body: noBody,
      responses: { 200: { description: 'Each kind of data', schema }, ...errors },
      handle: async ({ caller: { accountId } }) => ({ body: await describe(accountId) }),
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      audit: 'retention.changed',
      summary: 'Set how long data is kept',
      body: jsonBody(bodyFields),
      responses: {
        200: { description: 'Each kind of data. What is older is deleted within an hour', schema },
        400: { description: 'A number of days is outside of the bounds of this instance' },
        ...errors,
      },
      async handle({ caller: { accountId }, body }) {
        const before = await choices(accountId);
        for (const kind of kinds) {
          const chosen = body[kind] ?? undefined;
          const most = (await mostDays(accountId, kind)) ?? Number.POSITIVE_INFINITY;
          const { leastDays } = bounds[kind];
          if (chosen === undefined || (chosen >= leastDays && chosen <= most)) continue;
          const range = Number.isFinite(most) ? `from ${leastDays} to ${most}` : `at least ${leastDays}`;
          throw new GatewayError('invalid_request', `${kind}: must be ${range} on this instance, or null`);
        }
        const { requests } = body;
        if (requests === null) await calls.table.delete(accountId);
        else if (requests !== undefined) await calls.table.put({ accountId, days: requests });
        for (const kind of retainedKinds) {
          const chosen = body[kind];
          if (chosen !== undefined) await retentions.put({ accountId, kind, days: chosen });
        }
        return { body: await describe(accountId), audit: changeOf(before, await choices(accountId)) };
      },
    }),
  ];
}

function least(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
