import { countAttempt } from '../../../accounts/count-attempt.ts';
import { type EvidenceParts, evidenceLines } from '../../../audit/evidence/collect.ts';
import type { RateLimiter } from '../../../kernel/ports/shared-state.ts';
import { limits } from '../../limits.ts';
import { bySession, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { encodeLines } from './audit.ts';

interface EvidenceRouteParts {
  readonly evidence: EvidenceParts;
  readonly attempts: RateLimiter;
}

/** The evidence bundle of the caller's account. */
export function evidenceRoute({ evidence, attempts: rateLimiter }: EvidenceRouteParts): ApiRoute {
  return defineRoute({
    method: 'GET',
    audit: 'evidence.exported',
    path: '/v1/organization/evidence',
    summary: 'Export a signed evidence bundle for auditors',
    tag: 'Organizations',
    access: bySession('audit'),
    body: noBody,
    responses: {
      200: {
        description: 'A line for each fact, and a signed statement about all lines',
        contentType: 'application/jsonl',
      },
      401: { description: 'Missing or invalid session token' },
      403: { description: 'Your role does not have the right' },
      429: { description: 'Too many bundles in an hour' },
    },
    async handle({ caller: { accountId } }) {
      await countAttempt(rateLimiter, `evidence:${accountId}`, limits.evidencePerAccount);
      return {
        headers: [
          'cache-control',
          'no-store',
          'content-disposition',
          'attachment; filename="weir-evidence.jsonl"',
        ],
        contentType: 'application/jsonl; charset=utf-8',
        stream: encodeLines(evidenceLines(evidence, accountId)),
      };
    },
  });
}
