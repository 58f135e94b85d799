import { z } from 'zod';
import { countAttempt } from '../../../accounts/count-attempt.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { RateLimiter } from '../../../kernel/ports/shared-state.ts';
import { type HeaderList, headerOf } from '../../../lib/headers.ts';
import type { ImportReport } from '../../../moving/import-account.ts';
import { type SectionName, sectionNames, usualSections } from '../../../moving/sections.ts';
import { limits } from '../../limits.ts';
import { byPerson, defineRoute } from '../define-route.ts';
import { noBody, streamedBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { parseQuery } from '../validation.ts';
import { gzip } from './export.ts';
import { importReportSchema } from './import-report-schema.ts';

export interface MovingParts {
  readonly mover: {
    export(choice: {
      readonly accountId: string;
      readonly sections: readonly SectionName[];
      readonly passphrase: string | undefined;
    }): AsyncIterable<string>;
    import(
      chunks: AsyncIterable<Uint8Array>,
      choice: {
        readonly accountId: string;
        readonly sections: readonly SectionName[] | undefined;
        readonly passphrase: string | undefined;
        readonly isDryRun: boolean;
        readonly replaces: boolean;
        readonly finishMs: number;
      },
    ): Promise<ImportReport>;
  };
  readonly attempts: RateLimiter;
}

const passphraseHeader = 'x-weir-passphrase';
const contentType = 'application/x-weir-export';
const one = (about: string) => z.enum(['1'], 'must be 1').optional().describe(about);
const list = z
  .string()
  .transform((text, context) => {
    const names = text.split(',').map((name) => name.trim());
    const chosen = sectionNames.filter((name) => names.includes(name));
    if (chosen.length === new Set(names).size) return chosen;
    context.addIssue(`must be a list of ${sectionNames.join(', ')}`);
    return z.NEVER;
  })
  .optional();

const exportQuery = {
  sections: list.describe(
    `Which of ${sectionNames.join(', ')}, separated by commas; all but recordings and provider_keys by default`,
  ),
  secrets: one(`\`1\` adds provider keys, encrypted with the passphrase in \`${passphraseHeader}\``),
};
const importQuery = {
  sections: list.describe('The sections to import; all of the file by default'),
  dry_run: one('`1` changes nothing, and reports what an import would do'),
  on_conflict: z
    .enum(['keep', 'replace'], 'must be keep or replace')
    .default('keep')
    .describe('What becomes of rows that differ from those of the file'),
};
const unauthenticated = { 401: { description: 'Missing or invalid session token, or an API key' } };

/** Files with which an account moves between instances. */
export function movingRoutes({ mover, attempts }: MovingParts): readonly ApiRoute[] {
  return [
    defineRoute({
      method: 'GET',
      audit: 'account.exported',
      path: '/v1/export',
      summary: 'Export the account as a file that another instance imports',
      tag: 'Accounts',
      access: byPerson('data'),
      query: exportQuery,
      body: noBody,
      responses: {
        200: {
          description: 'Gzipped JSON lines: a manifest, sections with their digests, and an end',
          contentType,
        },
        400: { description: 'A query parameter is invalid, or the passphrase is missing or too short' },
        ...unauthenticated,
        429: { description: 'Too many exports in an hour' },
      },
      async handle({ caller: { accountId }, headers, query: sent }) {
        const { sections, secrets } = parseQuery(exportQuery, sent);
        const passphrase = passphraseOf(headers);
        const hasKeys = secrets !== undefined || sections?.includes('provider_keys') === true;
        if (hasKeys && passphrase === undefined)
          throw new GatewayError('invalid_request', `provider keys need a passphrase in ${passphraseHeader}`);
        await countAttempt(attempts, `move out:${accountId}`, limits.movesPerAccount);
        const chosen = sectionNames.filter(
          (name) =>
            (name === 'provider_keys' && hasKeys) ||
            (name !== 'provider_keys' && (sections ?? usualSections).includes(name)),
        );
        return {
          headers: [
            ...['cache-control', 'no-store'],
            ...['content-disposition', 'attachment; filename="account.weir"'],
          ],
          contentType,
          stream: gzip(mover.export({ accountId, sections: chosen, passphrase })),
        };
      },
    }),
    defineRoute({
      method: 'POST',
      audit: 'account.imported',
      path: '/v1/import',
      summary: 'Import a file of another instance into the account, as a whole or not at all',
      tag: 'Accounts',
      access: byPerson('data'),
      query: importQuery,
      body: streamedBody(contentType, limits.importBytesMax),
      bodyBytesMax: limits.importBytesMax,
      responses: {
        200: { description: 'What became of the rows of each section', schema: importReportSchema },
        400: { description: 'A query parameter is invalid' },
        ...unauthenticated,
        409: { description: 'Another import of the account is under way' },
        413: { description: 'The file is too large' },
        422: { description: 'The file is refused, and nothing was imported' },
        429: { description: 'Too many imports in an hour' },
      },
      async handle({ caller: { accountId }, headers, query: sent, body }) {
        const { sections, dry_run, on_conflict } = parseQuery(importQuery, sent);
        const passphrase = passphraseOf(headers);
        await countAttempt(attempts, `move in:${accountId}`, limits.movesPerAccount);
        const report = await mover.import(body, {
          ...{ accountId, sections, passphrase },
          isDryRun: dry_run !== undefined,
          replaces: on_conflict === 'replace',
          finishMs: limits.importAnswerMs,
        });
        return dry_run === undefined ? { body: report } : { body: report, audit: 'none' };
      },
    }),
  ];
}

/** Never in the address, which logs have. */
function passphraseOf(headers: HeaderList): string | undefined {
  const passphrase = headerOf(headers, passphraseHeader);
  if (passphrase === undefined) return undefined;
  if (
    passphrase.length < limits.passphraseCharactersMin ||
    passphrase.length > limits.passphraseCharactersMax
  )
    throw new GatewayError(
      'invalid_request',
      `${passphraseHeader}: must have at least ${limits.passphraseCharactersMin} characters`,
    );
  return passphrase;
}
