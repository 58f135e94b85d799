import { z } from 'zod';
import { GatewayError } from '../../../kernel/errors.ts';
import { limits } from '../../../kernel/limits.ts';
import type { Verdict } from '../../../kernel/ports/patterns.ts';
import type { RequestLog } from '../../../kernel/ports/request-log.ts';
import type { Attempts } from '../../../kernel/ports/shared-state.ts';
import { isRequestId } from '../../../kernel/request-id.ts';
import type { PatternBook } from '../../../patterns/pattern-book.ts';
import type { AccountCaller } from '../access.ts';
import { invalid } from '../checked.ts';
import { type AccessRule, bySessionOrKey, checkedRoute } from '../checked-route.ts';
import { jsonBody } from '../json-body.ts';
import type { OwnRoute } from '../route.ts';
import { text } from '../text.ts';
import { ownerOf } from './patterns.ts';

export interface OutcomesParts {
  readonly book: PatternBook;
  readonly log: Pick<RequestLog, 'find'>;
  readonly attempts: Attempts;
}

/** How calls and conversations went, in the words of who knows it. */
export function outcomesRoutes({ book, log, attempts }: OutcomesParts): readonly OwnRoute[] {
  const counted: AccessRule<AccountCaller> = {
    name: bySessionOrKey.name,
    async check(request) {
      const caller = await bySessionOrKey.check(request);
      const retryAfterSeconds = await attempts.count(`outcomes ${ownerOf(caller)}`, {
        most: limits.outcomesPerMinute,
        seconds: 60,
      });
      if (retryAfterSeconds === 0) return caller;
      throw new GatewayError(
        'too_many_attempts',
        `an account may tell ${limits.outcomesPerMinute} outcomes a minute`,
        { retryAfterSeconds },
      );
    },
  };
  return [
    checkedRoute({
      method: 'POST',
      path: '/v1/outcomes',
      summary: 'Tell how a call or a conversation went',
      tag: 'Patterns',
      access: counted,
      body: jsonBody({
        request_id: z.string('must be a string').optional().describe('Of a call: its `x-request-id`'),
        conversation: z
          .string('must be a string')
          .optional()
          .describe('Of all calls of a conversation: its `x-weir-conversation`'),
        outcome: z.enum(['success', 'failure'], 'must be success or failure'),
        score: z
          .number('must be a number')
          .min(0, 'must be 0 to 1')
          .max(1, 'must be 0 to 1')
          .optional()
          .describe('How well it went; 1 for a success and 0 for a failure where it is left out'),
        note: text({ max: limits.outcomeNoteCharactersMax }).optional(),
      }),
      answers: {
        202: {
          description: 'It counts; the same again is no second outcome',
          schema: z.strictObject({ accepted: z.literal(true) }),
        },
        400: { description: 'The body is wrong' },
        401: { description: 'No credential that holds' },
        404: { description: 'The account had no such call or conversation' },
        429: { description: 'Too many in a minute' },
      },
      async handle({ caller, body }) {
        const { request_id: requestId, conversation, outcome, score, note = '' } = body;
        if ((requestId === undefined) === (conversation === undefined))
          throw invalid('must have either a request_id or a conversation', '');
        const said = { ...verdictOf(outcome, score), note };
        const owner = ownerOf(caller);
        if (conversation !== undefined) {
          if (!(await book.isConversation(owner, conversation))) throw unknown();
          await book.outcome(owner, { ...said, conversation, requestId: '' });
        } else if (requestId !== undefined) {
          if (!isRequestId(requestId)) throw unknown();
          const of = await book.conversationOf(owner, requestId);
          if (of !== undefined) await book.outcome(owner, { ...said, conversation: of, requestId });
          else if ((await log.find(requestId, accountOf(caller))) === undefined) throw unknown();
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

function unknown(): GatewayError {
  return new GatewayError('not_found', 'there was no such call or conversation');
}
