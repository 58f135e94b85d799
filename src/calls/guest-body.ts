import { z } from 'zod';
import { GatewayError } from '../kernel/errors.ts';
import { limits as kernelLimits } from '../kernel/limits.ts';
import type { JsonObject } from '../lib/json.ts';
import { limits } from './limits.ts';

const text = z.strictObject({ type: z.literal('text'), text: z.string() });
/** Inline images only: neither a URL that would be fetched nor a file of the operator's account. */
const image = z.strictObject({
  type: z.literal('image'),
  source: z.strictObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
});
const toolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
});
const toolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, image]))]).optional(),
  is_error: z.boolean().optional(),
});

/**
 * The Messages fields allowed in calls that the operator pays for: none that costs, stores or reveals more than the
 * answer.
 */
const guestBody = z.strictObject({
  model: z.string('must be a string'),
  max_tokens: z.int('must be a whole number').min(1, 'must be 1 or more').optional(),
  messages: z.array(
    z.strictObject({
      role: z.enum(['user', 'assistant']),
      content: z.union([
        z.string(),
        z.array(z.discriminatedUnion('type', [text, image, toolUse, toolResult])),
      ]),
    }),
    'must be an array',
  ),
  system: z.union([z.string(), z.array(text)]).optional(),
  stream: z.boolean('must be true or false').optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  stop_sequences: z.array(z.string()).optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('custom').optional(),
        name: z.string(),
        description: z.string().optional(),
        input_schema: z.record(z.string(), z.unknown()),
      }),
    )
    .optional(),
  tool_choice: z
    .strictObject({
      type: z.enum(['auto', 'any', 'tool', 'none']),
      name: z.string().optional(),
      disable_parallel_tool_use: z.boolean().optional(),
    })
    .optional(),
});

/** Rejects fields that are not on the list; returns the output token limit. */
export function checkGuestBody(body: JsonObject): { readonly maxTokens: number } {
  const { data, error } = guestBody.safeParse(body);
  if (data !== undefined)
    return {
      maxTokens: Math.min(data.max_tokens ?? Number.POSITIVE_INFINITY, limits.sandboxOutputTokensMax),
    };
  const [issue] = error.issues;
  const strange = issue?.code === 'unrecognized_keys' ? [issue.keys[0] ?? ''] : [];
  const param = [...(issue?.path ?? []), ...strange].join('.').slice(0, kernelLimits.reportedFieldCharacters);
  const what = strange.length > 0 ? 'is not allowed here' : (issue?.message ?? 'is wrong');
  throw new GatewayError(
    'invalid_request',
    `${param}: ${what}; calls without an account may use few fields; see the sandbox docs`,
    { param },
  );
}
