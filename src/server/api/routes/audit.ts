import { z } from 'zod';
import { countAttempt } from '../../../accounts/count-attempt.ts';
import { instanceChain } from '../../../audit/audit.ts';
import { auditMessages, isAuditEvent } from '../../../audit/events.ts';
import { type AuditExportParts, exportedLines, jsonLines, syslogLines } from '../../../audit/export.ts';
import { hashOf } from '../../../audit/hash-of.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { defaultPageLimit, pageLimitSchema, textSchema } from '../../../kernel/input-schemas.ts';
import type { AuditEntry, AuditTable } from '../../../kernel/ports/audit.ts';
import type { RateLimiter } from '../../../kernel/ports/shared-state.ts';
import { limits } from '../../limits.ts';
import { type AccessRule, byOperator, byPerson, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { parseQuery } from '../validation.ts';

const wrongTime = 'must be a day such as 2026-11-15, or a time such as 2026-11-15T12:00:00Z';
const time = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], wrongTime)
  .transform((text) => Date.parse(text))
  .optional();
const range = {
  from: time.describe('Entries since this time, or since the beginning of this day (UTC)'),
  to: time.describe('Entries before this time, or before the beginning of this day (UTC)'),
};
const events = z
  .string()
  .transform((text) => text.split(','))
  .refine(
    (names) => names.every(isAuditEvent),
    `must be one of these, or several separated by commas: ${Object.keys(auditMessages).join(', ')}`,
  )
  .optional()
  .describe('Events, separated by commas');
const query = {
  limit: pageLimitSchema(limits.auditPageMax),
  after: z
    .string()
    .regex(/^[0-9]{1,15}$/, 'must be a cursor from an earlier response')
    .optional()
    .describe('A `next_cursor`: returns the older entries that follow it'),
  event: events,
  actor: textSchema({ min: 1, max: limits.auditActorCharactersMax })
    .optional()
    .describe('Who did it: `user:<id>`, `key:<id>`, `local`, `operator` or `stripe`'),
  ...range,
};
const exportQuery = {
  format: z
    .enum(['jsonl', 'syslog'], 'must be jsonl or syslog')
    .default('jsonl')
    .describe('JSON lines, or lines in the form of RFC 5424 with the same JSON in them'),
  ...range,
};

const entrySchema = z.looseObject({
  number: z.int().describe('Its place in the chain, from 1'),
  at: z.iso.datetime(),
  event: z.string(),
  actor: z.string().optional(),
  hash: z.string().describe('The SHA-256 of the entry'),
  previous: z.string().describe('The hash of the entry before it'),
  personal: z
    .record(z.string(), z.string().nullable())
    .describe('Personal values by field, such as `address`; null for those that were erased'),
});
const pageSchema = z.strictObject({
  entries: z.array(entrySchema).describe('The newest first'),
  next_cursor: z.string().nullable().describe('For `after`; null when there is nothing older'),
});

const responses = {
  400: { description: 'A query parameter is invalid' },
  401: { description: 'Missing or invalid credential; API keys are not accepted' },
  403: { description: 'The caller may not read the audit log' },
};

export interface AuditRoutesParts extends AuditExportParts {
  readonly table: AuditTable;
  readonly attempts: RateLimiter;
}

/** The audit log of the account, and for the operator that of the instance. */
export function auditRoutes(parts: AuditRoutesParts): readonly ApiRoute[] {
  return [
    ...chainRoutes(parts, {
      path: '/v1/audit',
      tag: 'Accounts',
      whose: 'the account',
      access: byPerson('audit'),
      chainOf: ({ accountId }) => accountId,
    }),
    ...chainRoutes(parts, {
      path: '/v1/operator/audit',
      tag: 'Operations',
      whose: 'the instance',
      access: byOperator,
      chainOf: () => instanceChain,
    }),
  ];
}

interface ServedChain<Caller> {
  readonly path: string;
  readonly tag: string;
  readonly whose: string;
  readonly access: AccessRule<Caller>;
  chainOf(caller: Caller): string;
}

function chainRoutes<Caller>(
  parts: AuditRoutesParts,
  { path, tag, whose, access, chainOf }: ServedChain<Caller>,
): readonly ApiRoute[] {
  const common = { method: 'GET', tag, access, body: noBody } as const;
  return [
    defineRoute({
      ...common,
      path,
      summary: `List the audit log of ${whose}`,
      query,
      responses: { 200: { description: 'A page of entries', schema: pageSchema }, ...responses },
      async handle({ caller, query: sent }) {
        const { limit = defaultPageLimit, after, event, actor, from, to } = parseQuery(query, sent);
        requireOrder(from, to);
        const page = await parts.table.page({
          chain: chainOf(caller),
          before: after === undefined ? undefined : Number(after),
          events: event,
          actor,
          fromMs: from,
          toMs: to,
          limit: limit + 1,
        });
        const shown = page.slice(0, limit);
        const last = page.length > limit ? shown.at(-1) : undefined;
        return {
          body: {
            entries: shown.map(describeEntry),
            next_cursor: last === undefined ? null : String(last.number),
          },
        };
      },
    }),
    defineRoute({
      ...common,
      audit: 'audit.exported',
      path: `${path}/export`,
      summary: `Export the audit log of ${whose}, with signed statements about where it begins and ends`,
      query: exportQuery,
      responses: {
        200: { description: 'A line for each entry and statement', contentType: 'application/jsonl' },
        ...responses,
        429: { description: 'Too many exports in an hour' },
      },
      async handle({ caller, query: sent }) {
        const { format, from, to } = parseQuery(exportQuery, sent);
        requireOrder(from, to);
        const chain = chainOf(caller);
        await countAttempt(parts.attempts, `audit export:${chain}`, limits.auditExportsPerChain);
        const lines = exportedLines(parts, { chain, fromMs: from, toMs: to });
        const isSyslog = format === 'syslog';
        return {
          headers: ['content-disposition', `attachment; filename="weir-audit.${isSyslog ? 'log' : 'jsonl'}"`],
          contentType: isSyslog ? 'text/plain; charset=utf-8' : 'application/jsonl; charset=utf-8',
          stream: encodeLines(isSyslog ? syslogLines(lines) : jsonLines(lines)),
        };
      },
    }),
  ];
}

/** The fields of an entry, with the values in place of the commitments to them. */
export function describeEntry({ text, values: groups }: AuditEntry): z.output<typeof entrySchema> {
  const { personal = {}, ...fields } = JSON.parse(text);
  const values = Object.assign({}, ...groups.map((group) => group.values));
  const shown = Object.keys(personal).map((name) => [name, values[name]?.value ?? null]);
  return { ...fields, hash: hashOf(text), personal: Object.fromEntries(shown) };
}

function requireOrder(fromMs: number | undefined, toMs: number | undefined): void {
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs)
    throw new GatewayError('invalid_request', 'from: must be before to', { param: 'from' });
}

/** Lines go out together: a chunk for each would be slow. */
export async function* encodeLines(lines: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  let chunk = '';
  for await (const line of lines) {
    chunk += line;
    if (chunk.length < limits.exportPieceCharacters) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  yield Buffer.from(chunk);
}
