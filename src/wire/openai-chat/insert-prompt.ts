import type { WireFormat } from '../../kernel/wire-format.ts';
import { stringOf } from '../json-values.ts';
import { PromptFields, samplingOf } from '../prompt-fields.ts';
import { encodeLimit } from './encode-fields.ts';

export const insertPrompt: NonNullable<WireFormat['insertPrompt']> = (prompt, { fields }) => {
  const inserted = new PromptFields(fields);
  const { system = '', messages, maxTokens } = prompt;
  inserted.prepend('messages', [
    ...(system === '' ? [] : [{ role: 'system', content: system }]),
    ...messages.map(({ role, content }) => ({ role, content })),
  ]);
  if (prompt.model !== undefined) inserted.set('model', prompt.model);
  if (maxTokens !== undefined && !fields.has('max_tokens') && !fields.has('max_completion_tokens')) {
    const name = prompt.model ?? stringOf(fields.get('model')) ?? '';
    const model = name.slice(name.lastIndexOf('/') + 1);
    for (const [field, value] of Object.entries(
      encodeLimit({ model, max_tokens: maxTokens, messages: [] }, {}),
    ))
      inserted.set(field, value);
  }
  for (const [name, value] of Object.entries(samplingOf(prompt))) inserted.setDefault(name, value);
  return inserted;
};
