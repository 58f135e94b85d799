import { z } from 'zod';
import { GatewayError, invalidFieldError, parseBody, parseInput } from '../../../module-api.ts';
import type { PatternFields } from '../store/new-pattern.ts';
import { limits } from './limits.ts';
import { adviceSchema, parseTrigger, scopeSchema, stateSchema, triggerSchema } from './pattern-schema.ts';

export const newPattern = {
  trigger: triggerSchema,
  advice: adviceSchema,
  state: stateSchema.optional().describe('`active` by default'),
  scope: scopeSchema.optional(),
};
const importedPatternSchema = z.object(newPattern);

export function toPatternInput({
  trigger,
  advice,
  state = 'active',
  scope = null,
}: z.output<typeof importedPatternSchema>): PatternFields {
  return { trigger: parseTrigger(trigger), advice, state, scope };
}

/** One object per line. All lines are validated before the first is stored; fields that Weir computes are ignored. */
export async function parsePatternLines(text: string): Promise<readonly PatternFields[]> {
  const filled = text
    .split('\n')
    .map((line, at) => ({ line, at: at + 1 }))
    .filter(({ line }) => line.trim() !== '');
  if (filled.length > limits.patternImportMax)
    throw invalidFieldError(`the body must have at most ${limits.patternImportMax} lines`, '');
  const patterns: PatternFields[] = [];
  for (const { line, at } of filled) patterns.push(toPatternInput(await parsePatternLine(line, at)));
  return patterns;
}

async function parsePatternLine(line: string, at: number): Promise<z.output<typeof importedPatternSchema>> {
  try {
    const value = parseBody(Buffer.from(line));
    if (JSON.stringify(value).includes('\\u0000'))
      throw invalidFieldError('must not contain NUL characters', '');
    return await parseInput(importedPatternSchema, value);
  } catch (error) {
    if (!GatewayError.is(error)) throw error;
    throw new GatewayError('invalid_request', `line ${at}: ${error.message}`, { cause: error });
  }
}
