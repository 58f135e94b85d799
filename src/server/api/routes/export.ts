import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import { countAttempt } from '../../../accounts/count-attempt.ts';
import type { AccountRows } from '../../../kernel/ports/account-rows.ts';
import type { RateLimiter } from '../../../kernel/ports/shared-state.ts';
import { limits } from '../../limits.ts';
import { bySession, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';

/** The compressor stops reading the lines when nobody reads it. */
export function gzip(lines: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  return pipeline(lines, createGzip(), () => undefined);
}

export interface ExportParts {
  readonly rows: AccountRows;
  readonly attempts: RateLimiter;
}

export function exportRoute({ rows, attempts: rateLimiter }: ExportParts): ApiRoute {
  return defineRoute({
    method: 'GET',
    audit: 'account.exported',
    path: '/v1/users/me/export',
    summary: 'Export all data of the account as gzipped JSON lines',
    tag: 'Accounts',
    access: bySession('data'),
    body: noBody,
    responses: {
      200: { description: 'One line per record, with its `type`', contentType: 'application/gzip' },
      401: { description: 'Missing or invalid session token' },
      429: { description: 'Too many exports in an hour' },
    },
    async handle({ caller: { accountId } }) {
      await countAttempt(rateLimiter, `export:${accountId}`, limits.exportsPerAccount);
      return {
        headers: [
          'cache-control',
          'no-store',
          'content-disposition',
          'attachment; filename="weir-export.jsonl.gz"',
        ],
        contentType: 'application/gzip',
        stream: gzip(exportLines(rows, accountId)),
      };
    },
  });
}

/** Batches lines: one chunk per line would be slow. */
export async function* exportLines(rows: AccountRows, accountId: string): AsyncIterable<string> {
  let chunk = '';
  for await (const row of rows.of(accountId)) {
    chunk += `${JSON.stringify(row)}\n`;
    if (chunk.length < limits.exportPieceCharacters) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}
