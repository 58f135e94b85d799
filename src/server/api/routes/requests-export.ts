import { z } from 'zod';
import { countAttempt } from '../../../accounts/count-attempt.ts';
import { requireRight } from '../../../accounts/rights.ts';
import type { CallRecordings } from '../../../calls/recordings/call-recordings.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { LoggedCall, LogQuery, RequestLog } from '../../../kernel/ports/request-log.ts';
import type { RateLimiter } from '../../../kernel/ports/shared-state.ts';
import { acceptsEncoding } from '../../accepts-encoding.ts';
import { limits } from '../../limits.ts';
import type { AccountCaller } from '../access.ts';
import { csvLine } from '../csv.ts';
import { bySessionOrKey, defineRoute, inProject } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import { namedProject, type ProjectScope } from '../project-access.ts';
import type { ApiRoute } from '../route.ts';
import { parseQuery } from '../validation.ts';
import { callSchema, describeCall } from './call-schema.ts';
import { gzip } from './export.ts';
import { describeRecording } from './recording-schema.ts';
import { filterOf, filterQuery, loggedAccountOf } from './request-filter.ts';

type Call = z.output<typeof callSchema>;
type Format = 'csv' | 'jsonl';

const query = {
  format: z
    .enum(['csv', 'jsonl'], 'must be csv or jsonl')
    .default('csv')
    .describe('Comma-separated values with a header line, or JSON lines with all fields'),
  recordings: z
    .enum(['1'], 'must be 1')
    .optional()
    .describe('`1` adds the `recording` of each call, or null, to JSON lines; not with an API key'),
  ...filterQuery,
};

const contentTypes: Readonly<Record<Format, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/jsonl; charset=utf-8',
};

export interface RequestsExportParts {
  readonly log: Pick<RequestLog, 'page'>;
  readonly recordings: Pick<CallRecordings, 'find'>;
  readonly attempts: RateLimiter;
}

/** All calls that a filter admits, as a stream. */
export function requestsExportRoute({ log, recordings, attempts }: RequestsExportParts): ApiRoute {
  return defineRoute({
    method: 'GET',
    audit: 'log.exported',
    path: '/v1/requests/export',
    summary: 'Export calls as CSV or JSON lines, the newest first',
    tag: 'Usage',
    access: inProject(bySessionOrKey('calls'), namedProject),
    query,
    body: noBody,
    responses: {
      200: { description: 'A line for each call', contentType: 'text/csv' },
      400: { description: 'A query parameter is invalid' },
      401: { description: 'Missing or invalid credential, or an API key with `recordings`' },
      429: { description: 'Too many exports in an hour' },
    },
    async handle({ caller, headers, query: sent }) {
      const { format, recordings: withRecordings, ...filters } = parseQuery(query, sent);
      if (withRecordings !== undefined) requireJsonLines(caller, format);
      const question = { accountId: loggedAccountOf(caller), filter: filterOf(filters, caller) };
      await countAttempt(attempts, `requests export:${caller.accountId}`, limits.logExportsPerAccount);
      const pages = readPages(log, question);
      const lines =
        format === 'csv'
          ? csvLines(pages)
          : jsonLines(pages, withRecordings === undefined ? undefined : recordings);
      const isCompressed = acceptsEncoding(headers, 'gzip');
      return {
        headers: [
          ...['content-disposition', `attachment; filename="weir-requests.${format}"`],
          ...(isCompressed ? ['content-encoding', 'gzip', 'vary', 'accept-encoding'] : []),
        ],
        contentType: contentTypes[format],
        stream: isCompressed ? gzip(lines) : encode(lines),
      };
    },
  });
}

/** Recordings are content: for the account holder in person, and in a form that can hold them. */
function requireJsonLines(caller: AccountCaller & ProjectScope, format: Format): void {
  if (caller.kind === 'key')
    throw new GatewayError(
      'authentication_required',
      'recordings: API keys are not accepted, send a session token',
    );
  if (caller.actor !== undefined) requireRight(caller.actor, 'content:read');
  if (format === 'csv')
    throw new GatewayError('invalid_request', 'recordings: needs format=jsonl', { param: 'recordings' });
}

async function* readPages(
  log: RequestsExportParts['log'],
  question: Pick<LogQuery, 'accountId' | 'filter'>,
): AsyncIterable<readonly LoggedCall[]> {
  let beside: LogQuery['beside'];
  for (;;) {
    const page = { ...question, beside, limit: limits.exportedCallsAtOnce };
    const { calls, more, reached } = await log.page(page);
    if (calls.length > 0) yield calls;
    if (!more || reached === undefined) return;
    beside = { id: reached, side: 'older' };
  }
}

async function* csvLines(pages: AsyncIterable<readonly LoggedCall[]>): AsyncIterable<string> {
  yield csvLine(csvColumns.map(([name]) => name));
  for await (const calls of pages) yield calls.map((call) => csvLineOf(describeCall(call))).join('');
}

/** A recording may be large, so each is a chunk of its own. */
async function* jsonLines(
  pages: AsyncIterable<readonly LoggedCall[]>,
  recordings: RequestsExportParts['recordings'] | undefined,
): AsyncIterable<string> {
  for await (const calls of pages) {
    if (recordings === undefined)
      yield calls.map((call) => `${JSON.stringify(describeCall(call))}\n`).join('');
    else
      for (const call of calls) {
        const recordedCall = await recordings.find(call.accountId, call.id);
        const recording = recordedCall === undefined ? null : describeRecording(recordedCall);
        yield `${JSON.stringify({ ...describeCall(call), recording })}\n`;
      }
  }
}

async function* encode(texts: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text);
}

/** Lists have no place in a table: tags as in their header, units as `images:2`, modules as `name:effect`, tools as `name:count`, the number of attempts, and no other changes. */
const csvColumns: readonly (readonly [string, (call: Call) => unknown])[] = [
  ...Object.keys(callSchema.shape)
    .filter(
      (name): name is keyof Call =>
        !['tags', 'units', 'modules', 'tool_calls', 'changes', 'attempts'].includes(name),
    )
    .map((name) => [name, (call: Call) => call[name]] as const),
  [
    'tags',
    ({ tags }) =>
      Object.entries(tags)
        .map((tag) => tag.join('='))
        .join(','),
  ],
  [
    'units',
    ({ units }) =>
      Object.entries(units ?? {})
        .map((unit) => unit.join(':'))
        .join(' '),
  ],
  ['modules', ({ modules }) => modules.map(({ name, effect }) => `${name}:${effect}`).join(' ')],
  ['tool_calls', ({ tool_calls }) => tool_calls.map(({ name, count }) => `${name}:${count}`).join(' ')],
  ['attempts', ({ attempts }) => attempts.length],
];

function csvLineOf(call: Call): string {
  return csvLine(csvColumns.map(([, read]) => read(call)));
}
