import { z } from 'zod';
import type { CallRecordings } from '../../../calls/recordings/call-recordings.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { defaultPageLimit, pageLimitSchema } from '../../../kernel/input-schemas.ts';
import { isRequestId, timeOfId } from '../../../kernel/request-id.ts';
import { limits } from '../../limits.ts';
import { byAccountHolder, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';
import { parseQuery } from '../validation.ts';
import { describeRecording, recordingSchema } from './recording-schema.ts';
import { decodeCursor, encodeCursor } from './request-cursor.ts';

const query = {
  limit: pageLimitSchema(limits.recordingPageMax),
  after: z
    .string()
    .refine((text) => decodeCursor(text) !== undefined, 'must be a cursor from an earlier response')
    .optional()
    .describe('A `next_cursor`: returns the older recordings that follow it'),
};

const pageSchema = z.strictObject({
  recordings: z
    .array(
      recordingSchema.pick({ id: true, created_at: true, expires_at: true }).extend({
        stored_bytes: z.int().describe('The stored size, compressed and encrypted'),
      }),
    )
    .describe('Newest first'),
  has_more: z.boolean(),
  next_cursor: z.string().nullable().describe('For `after`; null when there is nothing older'),
});

const unauthenticated = {
  401: { description: 'Missing or invalid session token; API keys are not accepted' },
};
const unknown = { 404: { description: 'The account has no such recording, or it has expired' } };

/** The recorded calls of an account. */
export function recordingsRoutes(recordings: CallRecordings): readonly ApiRoute[] {
  const common = { tag: 'Recordings', access: byAccountHolder, body: noBody } as const;
  const timesOf = (id: string) => {
    const createdAtMs = timeOfId(id);
    return { created_at: timestamp(createdAtMs), expires_at: timestamp(recordings.expiryOf(createdAtMs)) };
  };
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/recordings',
      summary: 'List recorded calls',
      query,
      responses: {
        200: { description: 'A page of recordings, without their content', schema: pageSchema },
        400: { description: 'A query parameter is invalid' },
        ...unauthenticated,
      },
      async handle({ caller: { accountId }, query: sent }) {
        const { limit = defaultPageLimit, after } = parseQuery(query, sent);
        const beforeId = after === undefined ? undefined : decodeCursor(after);
        const page = await recordings.page({ accountId, beforeId, limit: limit + 1 });
        const shown = page.slice(0, limit);
        const last = page.length > limit ? shown.at(-1) : undefined;
        return {
          body: {
            recordings: shown.map(({ id, bytes }) => ({ id, ...timesOf(id), stored_bytes: bytes })),
            has_more: last !== undefined,
            next_cursor: last === undefined ? null : encodeCursor(last.id),
          },
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/recordings/:id',
      summary: 'Get the request and the answer of a recorded call',
      responses: {
        200: { description: 'The recording', schema: recordingSchema },
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller: { accountId }, parameters: { id = '' } }) {
        const recordedCall = isRequestId(id) ? await recordings.find(accountId, id) : undefined;
        if (recordedCall === undefined) throw notRecordedError();
        return { body: { id, ...timesOf(id), ...describeRecording(recordedCall) } };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/v1/recordings/:id',
      summary: 'Delete a recording',
      responses: { 204: { description: 'Deleted' }, ...unauthenticated, ...unknown },
      async handle({ caller: { accountId }, parameters: { id = '' } }) {
        if (!isRequestId(id) || !(await recordings.remove(accountId, id))) throw notRecordedError();
        return { status: 204 };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/v1/recordings',
      summary: 'Delete all recordings of the account',
      responses: { 204: { description: 'Deleted' }, ...unauthenticated },
      async handle({ caller: { accountId } }) {
        await recordings.forget(accountId);
        return { status: 204 };
      },
    }),
  ];
}

function notRecordedError(): GatewayError {
  return new GatewayError('not_found', 'no such recording; GET /v1/recordings lists the recorded calls');
}
