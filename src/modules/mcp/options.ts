import { z } from 'zod';
import { listText, parseUsd } from '../../module-api.ts';
import { limits } from './limits.ts';

const patterns = listText()
  .transform((names) => names.split('|').filter((name) => name !== ''))
  .prefault('');

function whole(what: string, least: number, most: number) {
  return z.coerce.number(`must be ${what}`).int(`must be ${what}`).min(least).max(most);
}

const approvals = ['listed', 'read-only', 'ask', 'all'] as const;

export const mcpOptions = z.strictObject({
  servers: patterns.describe('Names of the servers, separated by `|` (default: all that the caller may use)'),
  approve: z
    .enum(approvals, `must be of ${approvals.join(', ')}`)
    .describe(
      'Which tools run: those in `tools` (`listed`), also those that their server calls read-only (`read-only`), also all others if the client agrees to each call (`ask`), or `all`. Tools that do not run are not offered to the model',
    )
    .default('read-only'),
  tools: patterns.describe(
    'Names of tools that run whatever their server says of them, separated by `|`, such as `github__create_issue`; `*` stands for any text',
  ),
  never: patterns.describe('Names of tools that are never offered; `*` stands for any text'),
  changes: z
    .enum(['hold', 'accept'], 'must be hold or accept')
    .describe(
      'What happens to a tool whose server changes its definition: it is withheld until a person approves it (`hold`), or used (`accept`)',
    )
    .default('hold'),
  values: z
    .enum(['placeholders', 'real'], 'must be placeholders or real')
    .describe(
      'What servers get where `guardrails` has replaced a value in the arguments: its placeholder, as providers do, or the `real` value',
    )
    .default('placeholders'),
  cache: patterns.describe(
    'Tools whose answers `tool-cache` may use again: a full name always, a name with `*` only for tools that their server calls read-only (default: none)',
  ),
  rounds: whole('a number of rounds', 1, 50)
    .describe('How often in a row the model may call tools before it has to answer')
    .default(8),
  call_seconds: whole('a number of seconds', 1, 300)
    .describe('The longest time for one call of a tool')
    .default(30),
  total_seconds: whole('a number of seconds', 1, 900)
    .describe('The longest time for all calls of tools in one answer')
    .default(120),
  result_bytes: whole('a number of bytes', 1000, 1_048_576)
    .describe('The longest text of a result; the rest is cut off, and a note says so')
    .default(65_536),
  max_usd: z
    .string()
    .meta({ pattern: '^[0-9]{1,7}([.][0-9]{1,9})?$' })
    .transform((text, context) => {
      const nanoUsd = parseUsd(text, limits.maxUsdMax * 1e9);
      if (nanoUsd !== undefined) return nanoUsd;
      context.addIssue(`must be an amount in dollars above 0 and at most ${limits.maxUsdMax}, like 0.50`);
      return z.NEVER;
    })
    .describe(
      'The model gets no further round once the call has cost this much, in dollars (default: no limit)',
    )
    .optional(),
});

export type McpOptions = z.output<typeof mcpOptions>;
