import type { WireFormat } from '../../kernel/wire-format.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { objectOf, omitUndefined } from '../json-values.ts';
import { PromptFields, samplingOf } from '../prompt-fields.ts';
import { interactionsContinuation } from './continuation.ts';
import { inputStepsOf } from './decode-steps.ts';

/** A stored interaction has the messages that its conversation began with, but not its instructions. */
export const insertPrompt: NonNullable<WireFormat['insertPrompt']> = (prompt, { fields }) => {
  const inserted = new PromptFields(fields);
  inserted.prependText('system_instruction', prompt.system);
  if (interactionsContinuation.previousIdIn(fields) === undefined)
    insertSteps(
      inserted,
      prompt.messages.map(({ role, content }) => ({
        type: role === 'assistant' ? 'model_output' : 'user_input',
        content: [{ type: 'text', text: content }],
      })),
      fields.get('input'),
    );
  if (prompt.model !== undefined) inserted.set('model', prompt.model);
  const settings = omitUndefined({ max_output_tokens: prompt.maxTokens, ...samplingOf(prompt) });
  const own = fields.get('generation_config');
  if (Object.keys(settings).length > 0 && (own == null || isJsonObject(own)))
    inserted.set('generation_config', { ...settings, ...objectOf(own) });
  return inserted;
};

/** The input may be a text, or content without a step around it. */
function insertSteps(inserted: PromptFields, steps: readonly JsonObject[], input: unknown): void {
  if (steps.length === 0) return;
  const own =
    Array.isArray(input) || isJsonObject(input) || typeof input === 'string' ? inputStepsOf({ input }) : [];
  const isListOfSteps =
    Array.isArray(input) && own.length === input.length && own.every((step, at) => step === input[at]);
  if (isListOfSteps || input == null) inserted.prepend('input', steps);
  else if (own.length > 0) inserted.set('input', [...steps, ...own]);
}
