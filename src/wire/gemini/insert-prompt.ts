import type { WireFormat } from '../../kernel/wire-format.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { objectOf, omitUndefined, stringOf } from '../json-values.ts';
import { PromptFields } from '../prompt-fields.ts';
import { fieldNameIn, objectListIn, readField, toSnakeCase } from './fields.ts';
import { replaceModelInPath } from './path.ts';

export const insertPrompt: NonNullable<WireFormat['insertPrompt']> = (prompt, { fields, path }) => {
  const inserted = new PromptFields(fields);
  const named = (name: string): JsonObject => ({
    [name]: fields.get(name),
    [toSnakeCase(name)]: fields.get(toSnakeCase(name)),
  });
  if (prompt.system !== undefined && prompt.system !== '') {
    const own = named('systemInstruction');
    const name = fieldNameIn(own, 'systemInstruction');
    const merged = mergeInstruction(prompt.system, readField(own, 'systemInstruction'));
    if (merged !== undefined) inserted.set(name, merged);
  }
  const contents = prompt.messages.map(({ role, content }) => ({
    role: role === 'assistant' ? 'model' : 'user',
    parts: [{ text: content }],
  }));
  const sent = contents.length === 0 ? undefined : fields.get('contents');
  if (isJsonObject(sent)) inserted.set('contents', [...contents, sent]);
  else inserted.prepend('contents', contents);
  const own = named('generationConfig');
  const config = readField(own, 'generationConfig');
  const settings = settingsOf(
    { maxOutputTokens: prompt.maxTokens, temperature: prompt.temperature, topP: prompt.topP },
    objectOf(config) ?? {},
  );
  if (Object.keys(settings).length > 0 && (config === undefined || isJsonObject(config)))
    inserted.set(fieldNameIn(own, 'generationConfig'), { ...settings, ...objectOf(config) });
  return prompt.model === undefined
    ? inserted
    : { changes: inserted.changes, path: replaceModelInPath(path, prompt.model) };
};

/** Undefined if the client's instruction is invalid, and stays for the format to reject. */
function mergeInstruction(text: string, own: unknown): JsonObject | undefined {
  const part = { text };
  if (own === undefined) return { parts: [part] };
  if (stringOf(own) !== undefined) return { parts: [part, { text: own }] };
  return isJsonObject(own) ? { ...own, parts: [part, ...objectListIn(own, 'parts')] } : undefined;
}

/** Those that the client has set under neither of their names. */
function settingsOf(settings: JsonObject, own: JsonObject): JsonObject {
  const names = Object.keys(settings).filter((name) => readField(own, name) === undefined);
  return omitUndefined(Object.fromEntries(names.map((name) => [name, settings[name]])));
}
