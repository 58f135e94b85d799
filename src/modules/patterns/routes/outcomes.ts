import { z } from 'zod';
import {
  defineModuleRoute,
  GatewayError,
  invalidFieldError,
  isRequestId,
  type ModuleHost,
  type ModuleRoute,
  textSchema,
} from '../../../module-api.ts';
import type { Verdict } from '../pattern.ts';
import type { PatternStore } from '../store/pattern-store.ts';
import { limits } from './limits.ts';

/** Outcomes of calls and conversations, reported by clients. */
export function outcomesRoutes(
  patternStore: PatternStore,
  host: Pick<ModuleHost, 'hasCall'>,
): readonly ModuleRoute[] {
  return [
    defineModuleRoute({
      method: 'POST',
      audit: 'none',
      path: '/v1/outcomes',
      summary: 'Report the outcome of a call or a conversation',
      tag: 'Patterns',
      access: 'sessionOrKey',
      rateLimit: {
        name: 'outcomes',
        most: limits.outcomesPerMinute,
        seconds: 60,
        message: `an account may report ${limits.outcomesPerMinute} outcomes per minute`,
      },
      body: z.strictObject({
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
      async handle({ scope, accountId, body }) {
        const { request_id: requestId, conversation, outcome, score, note = '' } = body;
        if ((requestId === undefined) === (conversation === undefined))
          throw invalidFieldError('either request_id or conversation is required, not both', '');
        const verdict = { ...verdictOf(outcome, score), note };
        if (conversation !== undefined) {
          if (!(await patternStore.isConversation(scope, conversation))) throw outcomeTargetNotFoundError();
          await patternStore.recordOutcome(scope, { ...verdict, conversation, requestId: '' });
        } else if (requestId !== undefined) {
          if (!isRequestId(requestId)) throw outcomeTargetNotFoundError();
          const of = await patternStore.conversationOf(scope, requestId);
          if (of !== undefined)
            await patternStore.recordOutcome(scope, { ...verdict, conversation: of, requestId });
          else if (!(await host.hasCall(requestId, accountId))) throw outcomeTargetNotFoundError();
        }
        return { status: 202, body: { accepted: true } };
      },
    }),
  ];
}

function verdictOf(outcome: 'success' | 'failure', score = outcome === 'success' ? 1 : 0): Verdict {
  return { good: score, bad: 1 - score };
}

function outcomeTargetNotFoundError(): GatewayError {
  return new GatewayError('not_found', 'no such call or conversation');
}
