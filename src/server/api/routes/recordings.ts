import { z } from 'zod';
import { countAttempt } from '../../../accounts/count-attempt.ts';
import { limits as callsLimits } from '../../../calls/limits.ts';
import type { CallRecordings } from '../../../calls/recordings/call-recordings.ts';
import { readConversation } from '../../../calls/recordings/read-conversation.ts';
import { searchRecordings } from '../../../calls/recordings/search-recordings.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { ApiKeys } from '../../../kernel/ports/records.ts';
import type { RateLimiter } from '../../../kernel/ports/shared-state.ts';
import { isRequestId, timeOfId } from '../../../kernel/request-id.ts';
import { limits } from '../../limits.ts';
import { byPerson, defineRoute, inProject } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import { projectOfCall } from '../project-access.ts';
import type { ApiRoute } from '../route.ts';
import { textSchema, timestamp } from '../text.ts';
import { parseQuery } from '../validation.ts';
import { describeRecording, recordingSchema } from './recording-schema.ts';
import { cursorSchema, decodeCursor, encodeCursor } from './request-cursor.ts';

const unauthenticated = {
  401: { description: 'Missing or invalid session token; API keys are not accepted' },
};
const unknown = { 404: { description: 'The account has no such recording, or it has expired' } };

const json = z.record(z.string(), z.unknown());
const conversationSchema = z.strictObject({
  id: z.string(),
  redaction: recordingSchema.shape.redaction,
  request: json
    .nullable()
    .describe('The request in the shape of Anthropic Messages; null if it is not recorded or not readable'),
  provider_request: json
    .nullable()
    .describe(
      'What the provider got, in the same shape; null if it got the same or nothing, or is not readable',
    ),
  answer: json.nullable().describe('The whole answer in the same shape; of a stream, what it adds up to'),
  error: z.string().nullable().describe('Why there is no answer, or why it is incomplete'),
});

const searchQuery = {
  q: textSchema({ min: 2, max: limits.recordingSearchCharactersMax }).describe(
    'The text to look for in requests and answers, without regard to case',
  ),
  after: cursorSchema.describe('A `next_cursor`: goes on with the older recordings'),
};

const searchSchema = z.strictObject({
  matches: z.array(
    recordingSchema
      .pick({ id: true, created_at: true, model: true })
      .extend({ excerpt: z.string().describe('The text around the first match') }),
  ),
  searched: z.int().describe('How many recordings were read, the newest first'),
  searched_to: z.iso
    .datetime()
    .nullable()
    .describe('The time of the oldest one that was read; null if all were'),
  next_cursor: z.string().nullable().describe('For `after`; null when there is nothing older'),
});

export interface RecordingRouteParts {
  readonly recordings: CallRecordings;
  readonly searches: RateLimiter;
  readonly keys: Pick<ApiKeys, 'byId'>;
}

/** The recorded calls of an account. */
export function recordingsRoutes({ recordings, searches, keys }: RecordingRouteParts): readonly ApiRoute[] {
  const common = { tag: 'Recordings', access: byPerson('content'), body: noBody } as const;
  const one = {
    ...common,
    access: inProject(
      common.access,
      projectOfCall({
        keyOf: async (accountId, id) => (await recordings.find(accountId, id))?.keyId,
        keys,
        unknown: notRecordedError,
      }),
    ),
  } as const;
  const timesOf = (id: string) => {
    const createdAtMs = timeOfId(id);
    return { created_at: timestamp(createdAtMs), expires_at: timestamp(recordings.expiryOf(createdAtMs)) };
  };
  return [
    defineRoute({
      ...one,
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
      ...one,
      method: 'GET',
      path: '/v1/recordings/:id/conversation',
      summary: 'Get a recorded call as a conversation, in one shape for all formats',
      responses: {
        200: { description: 'The conversation', schema: conversationSchema },
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller: { accountId }, parameters: { id = '' } }) {
        const recordedCall = isRequestId(id) ? await recordings.find(accountId, id) : undefined;
        if (recordedCall === undefined) throw notRecordedError();
        const { request, sent, answer, error } = readConversation(recordedCall);
        return {
          body: {
            id,
            redaction: recordedCall.redaction,
            request: request === undefined ? null : { ...request },
            provider_request: sent === undefined ? null : { ...sent },
            answer: answer === undefined ? null : { ...answer },
            error: error ?? null,
          },
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/recordings/search',
      summary: 'Search in recorded calls',
      query: searchQuery,
      responses: {
        200: {
          description: `The matches in the newest ${callsLimits.recordingsSearchedMax} recordings, or in fewer if they are large`,
          schema: searchSchema,
        },
        400: { description: 'A query parameter is invalid' },
        ...unauthenticated,
        429: { description: 'Too many searches' },
      },
      async handle({ caller: { accountId }, query: sent }) {
        const { q: text, after } = parseQuery(searchQuery, sent);
        await countAttempt(searches, `recordings ${accountId}`, callsLimits.recordingSearches);
        const beforeId = after === undefined ? undefined : decodeCursor(after);
        const { matches, searched, lastId } = await searchRecordings(recordings, {
          accountId,
          text,
          beforeId,
        });
        return {
          body: {
            matches: matches.map(({ id, model, excerpt }) => {
              return { id, created_at: timestamp(timeOfId(id)), model, excerpt };
            }),
            searched,
            searched_to: lastId === undefined ? null : timestamp(timeOfId(lastId)),
            next_cursor: lastId === undefined ? null : encodeCursor(lastId),
          },
        };
      },
    }),
    defineRoute({
      ...one,
      method: 'DELETE',
      audit: 'recordings.deleted',
      path: '/v1/recordings/:id',
      summary: 'Delete a recording',
      responses: { 204: { description: 'Deleted' }, ...unauthenticated, ...unknown },
      async handle({ caller: { accountId }, parameters: { id = '' } }) {
        if (!isRequestId(id) || !(await recordings.remove(accountId, id))) throw notRecordedError();
        return { status: 204, audit: { recording: id } };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'recordings.deleted',
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
