import type { WireFormat } from '../../kernel/wire-format.ts';
import { invalidRequestError } from '../check-messages.ts';
import { PromptFields, samplingOf } from '../prompt-fields.ts';
import { responsesContinuation } from './continuation.ts';

/** A stored response has the messages that its conversation began with, but instructions hold for one response only. */
export const insertPrompt: NonNullable<WireFormat['insertPrompt']> = (prompt, { fields }) => {
  const inserted = new PromptFields(fields);
  inserted.prependText('instructions', prompt.system);
  const items = prompt.messages.map(({ role, content }) => ({ type: 'message', role, content }));
  if (items.length > 0 && fields.get('conversation') != null)
    throw invalidRequestError(
      'prompt',
      'a prompt with messages can’t be used with "conversation", which may have them already; use one with "system" only',
    );
  if (items.length > 0 && responsesContinuation.previousIdIn(fields) === undefined) {
    const input = fields.get('input');
    if (typeof input === 'string')
      inserted.set('input', [...items, { type: 'message', role: 'user', content: input }]);
    else inserted.prepend('input', items);
  }
  if (prompt.model !== undefined) inserted.set('model', prompt.model);
  inserted.setDefault('max_output_tokens', prompt.maxTokens);
  for (const [name, value] of Object.entries(samplingOf(prompt))) inserted.setDefault(name, value);
  return inserted;
};
