import { countAttempt } from '../../../accounts/count-attempt.ts';
import { limits } from '../../../kernel/limits.ts';
import type { AccountRows } from '../../../kernel/ports/account-rows.ts';
import type { RateLimiter } from '../../../kernel/ports/shared-state.ts';
import { bySession, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';

export interface ExportParts {
  readonly rows: AccountRows;
  readonly attempts: RateLimiter;
}

/** All that there is of an account, to take along. */
export function exportRoute({ rows, attempts: rateLimiter }: ExportParts): ApiRoute {
  return defineRoute({
    method: 'GET',
    path: '/v1/users/me/export',
    summary: 'All that is kept of the account, as JSON lines in one gzip archive',
    tag: 'Accounts',
    access: bySession,
    body: noBody,
    responses: {
      200: { description: 'A line for each thing, with its `type`', contentType: 'application/gzip' },
      401: { description: 'No session token that holds' },
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
        gzippedLines: exportLines(rows, accountId),
      };
    },
  });
}

/** A page's lines are one piece: a piece for each line would cost more than the rest. */
async function* exportLines(rows: AccountRows, accountId: string): AsyncIterable<string> {
  let piece = '';
  for await (const row of rows.of(accountId)) {
    piece += `${JSON.stringify(row)}\n`;
    if (piece.length < limits.exportPieceCharacters) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}
