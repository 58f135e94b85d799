import type { PromptVersion } from '../../api/queries.ts';

/** The names of the variables in texts, as the gateway reads them. */
export function variablesIn(texts: readonly string[]): readonly string[] {
  const names = texts.flatMap((text) =>
    [...text.matchAll(/(\\*)\{\{\s{0,9}([A-Za-z][\w-]{0,63})\s{0,9}\}\}/g)].flatMap(
      ([, slashes = '', name = '']) => (slashes.length % 2 === 0 ? [name] : []),
    ),
  );
  return [...new Set(names)];
}

/** A version as lines, for comparison. */
export function linesOf(version: PromptVersion): readonly string[] {
  const { system, messages = [], model, max_tokens, temperature, top_p, variables } = version;
  const settings = { model, max_tokens, temperature, top_p };
  return [
    ...(system === undefined ? [] : ['[system]', ...system.split('\n')]),
    ...messages.flatMap(({ role, content }) => [`[${role}]`, ...content.split('\n')]),
    ...Object.entries(settings).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}: ${value}`],
    ),
    ...Object.entries(variables).flatMap(([name, { default: value }]) =>
      value === undefined ? [] : [`{{${name}}} = ${value}`],
    ),
  ];
}
