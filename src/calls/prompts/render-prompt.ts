import { GatewayError } from '../../kernel/errors.ts';
import { formatPromptVersion, type PromptVersion, type RenderedPrompt } from '../../kernel/prompt.ts';
import { limits } from '../limits.ts';
import type { CompiledPrompt } from './prompt-content.ts';
import { lengthOf, renderTemplate } from './template.ts';

/** Puts values in the place of variables. The same values give the same texts. Rejects missing and unknown variables, with all names. */
export function renderPrompt(
  version: PromptVersion,
  prompt: CompiledPrompt,
  given: ReadonlyMap<string, string>,
): RenderedPrompt {
  const { variables, system, messages, content } = prompt;
  const values = new Map<string, string>();
  const missing: string[] = [];
  for (const [name, ownDefault] of variables) {
    const value = given.get(name) ?? ownDefault;
    if (value === undefined) missing.push(name);
    else values.set(name, value);
  }
  const unknown = [...given.keys()].filter((name) => !variables.has(name));
  if (missing.length + unknown.length > 0) throw variablesError(version, missing, unknown);
  const templates = [
    ...(system === undefined ? [] : [system]),
    ...messages.map((message) => message.content),
  ];
  const characters = templates.reduce((sum, template) => sum + lengthOf(template, values), 0);
  if (characters > limits.promptRenderedCharactersMax)
    throw new GatewayError(
      'body_too_large',
      `prompt "${formatPromptVersion(version)}" has ${characters} characters with these variables, and the maximum is ${limits.promptRenderedCharactersMax}`,
      { param: 'prompt.variables' },
    );
  return {
    system: system && renderTemplate(system, values),
    messages: messages
      .map(({ role, content: template }) => ({ role, content: renderTemplate(template, values) }))
      .filter((message) => message.content !== ''),
    model: content.model,
    maxTokens: content.max_tokens,
    temperature: content.temperature,
    topP: content.top_p,
  };
}

function variablesError(
  version: PromptVersion,
  missing: readonly string[],
  unknown: readonly string[],
): GatewayError {
  const problems = [
    ...(missing.length === 0 ? [] : [`needs values for ${missing.join(', ')}`]),
    ...(unknown.length === 0 ? [] : [`has no ${unknown.map(shownName).join(', ')}`]),
  ];
  return new GatewayError(
    'invalid_prompt_variables',
    `prompt "${formatPromptVersion(version)}" ${problems.join(', and ')}`,
    { param: 'prompt.variables' },
  );
}

function shownName(name: string): string {
  return JSON.stringify(name.slice(0, limits.promptWordMax).toWellFormed());
}
