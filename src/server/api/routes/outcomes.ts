import { z } from 'zod';
import { GatewayError } from '../../../kernel/errors.ts';
import type { Verdict } from '../../../kernel/ports/patterns.ts';
import type { RequestLog } from '../../../kernel/ports/request-log.ts';
import type { RateLimiter } from '../../../kernel/ports/shared-state.ts';
import { isRequestId } from '../../../kernel/request-id.ts';
import type { PatternStore } from '../../../patterns/pattern-store.ts';
import { limits } from '../../limits.ts';
import type { AccountCaller } from '../access.ts';
import { type AccessRule, bySessionOrKey, defineRoute } from '../define-route.ts';
import { jsonBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { textSchema } from '../text.ts';
import { invalidFieldError } from '../validation.ts';
import { scopeOfCaller } from './patterns.ts';

export interface OutcomesParts {
  readonly patternStore: PatternStore;
  readonly log: Pick<RequestLog, 'find'>;
  readonly attempts: RateLimiter;
}

/** Outcomes of calls and conversations, reported by clients. */
export function outcomesRoutes({
  patternStore,
  log,
  attempts: rateLimiter,
}: OutcomesParts): readonly ApiRoute[] {
  const counted: AccessRule<AccountCaller> = {
    name: bySessionOrKey.name,
    async check(request) {
      const caller = await bySessionOrKey.check(request);
      const retryAfterSeconds = await rateLimiter.count(`outcomes ${scopeOfCaller(caller)}`, {
        most: limits.outcomesPerMinute,
        seconds: 60,
      });
      if (retryAfterSeconds === 0) return caller;
      throw new GatewayError(
        'too_many_attempts',
        `an account may report ${limits.outcomesPerMinute} outcomes per minute`,
        { retryAfterSeconds },
      );
    },
  };
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/outcomes',
      summary: 'Report the outcome of a call or a conversation',
      tag: 'Patterns',
      access: counted,
      body: jsonBody({
        request_id: z.string('must be a string').optional().describe('The `x-request-id` of a call'),
        conversation: z
          .string('must be a string')
          .optional()
          .describe('The `x-weir-conversation` of a conversation, for all of its calls'),
        outcome: z.enum(['success', 'failure'], 'must be success or failure'),
        score: z
          .number('must be a number')
          .min(0, 'must be 0 to 1')
          .max(1, 'must be 0 to 1')
          .optional()
          .describe('A score; by default 1 for a success and 0 for a failure'),
        note: textSchema({ max: limits.outcomeNoteCharactersMax }).optional(),
      }),
      responses: {
        202: {
          description: 'Recorded; a repeated report is not counted twice',
          schema: z.strictObject({ accepted: z.literal(true) }),
        },
        400: { description: 'The body is invalid' },
        401: { description: 'Missing or invalid credential' },
        404: { description: 'The account has no such call or conversation' },
        429: { description: 'Too many outcomes per minute' },
      },
      async handle({ caller, body }) {
        const { request_id: requestId, conversation, outcome, score, note = '' } = body;
        if ((requestId === undefined) === (conversation === undefined))
          throw invalidFieldError('either request_id or conversation is required, not both', '');
        const verdict = { ...verdictOf(outcome, score), note };
        const owner = scopeOfCaller(caller);
        if (conversation !== undefined) {
          if (!(await patternStore.isConversation(owner, conversation))) throw outcomeTargetNotFoundError();
          await patternStore.recordOutcome(owner, { ...verdict, conversation, requestId: '' });
        } else if (requestId !== undefined) {
          if (!isRequestId(requestId)) throw outcomeTargetNotFoundError();
          const of = await patternStore.conversationOf(owner, requestId);
          if (of !== undefined)
            await patternStore.recordOutcome(owner, { ...verdict, conversation: of, requestId });
          else if ((await log.find(requestId, accountOf(caller))) === undefined)
            throw outcomeTargetNotFoundError();
        }
        return { status: 202, body: { accepted: true } };
      },
    }),
  ];
}

function verdictOf(outcome: 'success' | 'failure', score = outcome === 'success' ? 1 : 0): Verdict {
  return { good: score, bad: 1 - score };
}

function accountOf(caller: AccountCaller): string | undefined {
  return caller.kind === 'local' ? undefined : caller.accountId;
}

function outcomeTargetNotFoundError(): GatewayError {
  return new GatewayError('not_found', 'no such call or conversation');
}
