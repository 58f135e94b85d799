import type { WireFormat } from '../../kernel/wire-format.ts';
import type { JsonObject } from '../../lib/json.ts';
import { objectsOf, stringOf } from '../json-values.ts';
import { PromptFields, samplingOf } from '../prompt-fields.ts';
import { attribution } from './session.ts';
import { messageThreads } from './threads.ts';

/** A thread keeps the instructions and messages that it was created with. */
export const insertPrompt: NonNullable<WireFormat['insertPrompt']> = (prompt, { fields }) => {
  const inserted = new PromptFields(fields);
  if (messageThreads.previousIdIn(fields) === undefined) {
    if (prompt.system !== undefined && prompt.system !== '')
      insertSystem(inserted, prompt.system, fields.get('system'));
    inserted.prepend(
      'messages',
      prompt.messages.map(({ role, content }) => ({ role, content })),
    );
  }
  if (prompt.model !== undefined) inserted.set('model', prompt.model);
  inserted.setDefault('max_tokens', prompt.maxTokens);
  for (const [name, value] of Object.entries(samplingOf(prompt))) inserted.setDefault(name, value);
  return inserted;
};

/** The block in which agents identify themselves stays the first. */
function insertSystem(inserted: PromptFields, text: string, own: unknown): void {
  const block: JsonObject = { type: 'text', text };
  if (own == null || own === '') inserted.set('system', text);
  else if (typeof own === 'string') inserted.set('system', [block, { type: 'text', text: own }]);
  else if (Array.isArray(own) && isAttributed(own)) inserted.set('system', [own[0], block, ...own.slice(1)]);
  else inserted.prepend('system', [block]);
}

function isAttributed(system: readonly unknown[]): boolean {
  return stringOf(objectsOf(system.slice(0, 1))[0]?.text)?.startsWith(attribution) === true;
}
