import { z } from 'zod';
import { limits } from '../kernel/limits.ts';

/** The body of a pay-per-call request. */
export const paidBodyFields = {
  model: z
    .string('must be a string')
    .min(1, 'must have 1 character or more')
    .max(limits.modelNameMax, `must have ${limits.modelNameMax} characters or less`),
  max_tokens: z.int('must be a whole number').min(1, 'must be 1 or more').optional(),
  messages: z
    .array(
      z.strictObject({
        role: z.enum(['user', 'assistant', 'system'], 'must be "user", "assistant" or "system"'),
        content: z.string('must be a string'),
      }),
      'must be an array',
    )
    .min(1, 'must have a message'),
  stream: z.boolean('must be true or false').optional(),
};

export const paidBodySchema = z.strictObject(paidBodyFields);

export type PaidBody = z.output<typeof paidBodySchema>;

/** The body in Messages format, which has a separate system field. */
export function toMessagesBody({ messages, stream }: PaidBody, model: string, maxTokens: number): object {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  return {
    model,
    max_tokens: maxTokens,
    ...(system.length > 0 && { system: system.join('\n\n') }),
    messages: messages.filter(({ role }) => role !== 'system'),
    ...(stream !== undefined && { stream }),
  };
}
