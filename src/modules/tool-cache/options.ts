import { z } from 'zod';
import { autoOption, holdoutOption, listText, ttlOption } from '../../module-api.ts';

/** Names of tools, separated by `|`; `*` at the end stands for any further characters. */
const toolNames = listText()
  .transform((names) => names.split('|').filter((name) => name !== ''))
  .prefault('');

export const toolCacheOptions = z.strictObject({
  plan: z
    .enum(['auto', 'listed'], 'must be auto or listed')
    .describe(
      'Which tools count as idempotent: those in `idempotent` (`listed`), or also those whose MCP annotations have `readOnlyHint` or `idempotentHint` (`auto`)',
    )
    .default('auto'),
  idempotent: toolNames.describe(
    'Names of tools that may be called once in place of several times, separated by `|`; `docs_*` for all that begin so',
  ),
  never: toolNames.describe('Names of tools that are not idempotent, whatever their annotations say'),
  ttl: ttlOption.describe(
    'The longest time for which answers of tools that the gateway runs are cached, from 1s to 30d; a tool may have a shorter one',
  ),
  holdout: holdoutOption,
  auto: autoOption,
});

export type ToolCacheOptions = z.output<typeof toolCacheOptions>;
