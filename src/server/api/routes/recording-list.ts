import { z } from 'zod';
import type { CallRecordings } from '../../../calls/recordings/call-recordings.ts';
import { defaultPageLimit, pageLimitSchema } from '../../../kernel/input-schemas.ts';
import { nanoOfUsd } from '../../../kernel/money.ts';
import type { RecordingPage } from '../../../kernel/ports/recordings.ts';
import { firstIdAt, timeOfId } from '../../../kernel/request-id.ts';
import { limits } from '../../limits.ts';
import { byPerson, defineRoute, inProject } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import { namedProject } from '../project-access.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';
import { parseQuery } from '../validation.ts';
import { callSchema, describeCall } from './call-schema.ts';
import { recordingSchema } from './recording-schema.ts';
import { cursorSchema, decodeCursor, encodeCursor } from './request-cursor.ts';
import { filterOf, filterQuery } from './request-filter.ts';

interface RecordingListParts {
  readonly recordings: Pick<CallRecordings, 'search' | 'expiryOf'>;
  /** Stores the rows of the calls until now. */
  flushLog(): Promise<unknown>;
}

const { from, to, model, status, key_id, project } = filterQuery;
const query = {
  limit: pageLimitSchema(limits.recordingPageMax),
  after: cursorSchema.describe('A `next_cursor`: returns the older recordings that follow it'),
  ...{ from, to, model, status, key_id, project },
  min_cost_usd: z.coerce
    .number('must be an amount in US dollars')
    .min(0)
    .max(1_000_000)
    .optional()
    .describe('Calls that cost at least this, in US dollars'),
  min_bytes: z.coerce
    .number('must be a number of bytes')
    .int()
    .min(0)
    .optional()
    .describe('Recordings whose stored size is at least this'),
};

const pageSchema = z.strictObject({
  recordings: z
    .array(
      recordingSchema.pick({ id: true, created_at: true, expires_at: true }).extend({
        stored_bytes: z.int().describe('The stored size, compressed and encrypted'),
        call: callSchema.nullable().describe('The call in the request log; null if it is not there any more'),
      }),
    )
    .describe('Newest first'),
  has_more: z
    .boolean()
    .describe(
      'Whether there are older ones to look through: with a filter, a page may be empty and have more',
    ),
  next_cursor: z.string().nullable().describe('For `after`; null when there is nothing older'),
});

/** The recorded calls of an account, with their rows of the request log. */
export function recordingListRoute({ recordings, flushLog }: RecordingListParts): ApiRoute {
  return defineRoute({
    method: 'GET',
    path: '/v1/recordings',
    summary: 'List recorded calls',
    tag: 'Recordings',
    access: inProject(byPerson('content'), namedProject),
    query,
    body: noBody,
    responses: {
      200: { description: 'A page of recordings, without their content', schema: pageSchema },
      400: { description: 'A query parameter is invalid' },
      401: { description: 'Missing or invalid session token; API keys are not accepted' },
    },
    async handle({ caller, query: sent }) {
      const { accountId, keyIds } = caller;
      const {
        limit = defaultPageLimit,
        after,
        min_cost_usd: usd,
        min_bytes: bytesMin,
        ...filters
      } = parseQuery(query, sent);
      const { fromMs, toMs, model: named, status: wanted, keyId } = filterOf(filters, caller);
      const before = [after && decodeCursor(after), toMs === undefined ? undefined : firstIdAt(toMs)];
      await flushLog();
      const page = await recordings.search({
        accountId,
        fromId: fromMs === undefined ? '' : firstIdAt(fromMs),
        beforeId: before.filter((id) => id !== undefined).sort()[0],
        limit,
        filter: {
          ...{ model: named, status: wanted, keyId, keyIds, bytesMin },
          costNanoUsdMin: usd === undefined ? undefined : nanoOfUsd(usd),
        },
      });
      return { body: describePage(page, recordings) };
    },
  });
}

function describePage(
  { recordings: listed, next }: RecordingPage,
  recordings: Pick<CallRecordings, 'expiryOf'>,
): z.output<typeof pageSchema> {
  return {
    recordings: listed.map(({ id, bytes, call }) => ({
      id,
      created_at: timestamp(timeOfId(id)),
      expires_at: timestamp(recordings.expiryOf(timeOfId(id))),
      stored_bytes: bytes,
      call: call === null ? null : describeCall(call),
    })),
    has_more: next !== undefined,
    next_cursor: next === undefined ? null : encodeCursor(next),
  };
}
