import { countAttempt } from '../../../accounts/count-attempt.ts';
import { limits } from '../../../kernel/limits.ts';
import type { AccountRows } from '../../../kernel/ports/account-rows.ts';
import type { Attempts } from '../../../kernel/ports/shared-state.ts';
import { bySession, checkedRoute } from '../checked-route.ts';
import { noBody } from '../json-body.ts';
import type { OwnRoute } from '../route.ts';

export interface ExportParts {
  readonly rows: AccountRows;
  readonly attempts: Attempts;
}

/** All that there is of an account, to take along. */
export function exportRoute({ rows, attempts }: ExportParts): OwnRoute {
  return checkedRoute({
    method: 'GET',
    path: '/v1/users/me/export',
    summary: 'All that is kept of the account, as JSON lines in one gzip archive',
    tag: 'Accounts',
    access: bySession,
    body: noBody,
    answers: {
      200: { description: 'A line for each thing, with its `type`', type: 'application/gzip' },
      401: { description: 'No session token that holds' },
      429: { description: 'Too many exports in an hour' },
    },
    async handle({ caller: { accountId } }) {
      await countAttempt(attempts, `export:${accountId}`, limits.exportsPerAccount);
      return {
        headers: [
          'cache-control',
          'no-store',
          'content-disposition',
          'attachment; filename="weir-export.jsonl.gz"',
        ],
        archive: linesOf(rows, accountId),
      };
    },
  });
}

/** A page's lines are one piece: a piece for each line would cost more than the rest. */
async function* linesOf(rows: AccountRows, accountId: string): AsyncIterable<string> {
  let piece = '';
  for await (const row of rows.of(accountId)) {
    piece += `${JSON.stringify(row)}\n`;
    if (piece.length < limits.exportPieceCharacters) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}
