import { z } from 'zod';
import { GatewayError } from '../../kernel/errors.ts';
import { limits as kernelLimits } from '../../kernel/limits.ts';
import type { JsonObject } from '../../lib/json.ts';
import { limits } from '../limits.ts';
import { isPromptModel } from './prompt-reference.ts';
import { isVariableName, parseTemplate, type Template } from './template.ts';

const text = z
  .string()
  .refine((value) => value.isWellFormed(), 'must not contain an unpaired surrogate')
  .refine((value) => !value.includes('\0'), 'must not contain NUL characters');

const variable = z.strictObject({
  description: text.max(limits.promptNoteCharactersMax).optional(),
  default: text
    .optional()
    .describe('The value of calls that give none; without a default, a call must give one'),
});

/** The fields of a version. */
export const promptFields = {
  system: text
    .optional()
    .describe('The instructions. `{{name}}` stands for the value of a variable, `\\{{` for two braces'),
  messages: z
    .array(
      z.strictObject({
        role: z.enum(
          ['system', 'developer', 'user', 'assistant'],
          'must be system, developer, user or assistant',
        ),
        content: text,
      }),
    )
    .max(limits.promptMessagesMax, `must have at most ${limits.promptMessagesMax} messages`)
    .optional()
    .describe(
      'The first messages of the conversation; those of a system role come first and belong to `system`',
    ),
  model: text
    .min(1, 'must not be empty')
    .max(kernelLimits.modelNameMax, `must have at most ${kernelLimits.modelNameMax} characters`)
    .refine((name) => !isPromptModel(name), 'must be a model or an alias, not another prompt')
    .optional()
    .describe('A model or an alias, for calls that name none'),
  max_tokens: z.int().min(1).optional().describe('For calls that set none, like the following two'),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  variables: z
    .record(z.string(), variable)
    .optional()
    .describe('Variables that have a default or a description'),
};
const content = z.strictObject(promptFields);

type PromptContent = z.output<typeof content>;

/** A version as calls use it. */
export interface CompiledPrompt {
  readonly content: PromptContent;
  readonly system: Template | undefined;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: Template }[];
  /** All variables in the order in which they appear, with their defaults. */
  readonly variables: ReadonlyMap<string, string | undefined>;
  /** The length of all texts together. */
  readonly characters: number;
}

/** Rejects a content that calls could not use, with all faults. */
export function readPromptContent(body: JsonObject): CompiledPrompt {
  const result = content.safeParse(body);
  if (!result.success) throw contentError(result.error.issues.map(describeIssue));
  const characters = charactersOf(result.data);
  if (characters > limits.promptTextCharactersMax)
    throw contentError([
      `the texts have ${characters} characters, and the maximum is ${limits.promptTextCharactersMax}`,
    ]);
  const { compiled, faults } = compile(normalize(result.data));
  if (faults.length > 0) throw contentError(faults);
  return compiled;
}

/** For a content that was checked when it was stored. */
export function compilePrompt(stored: JsonObject): CompiledPrompt {
  return compile(content.parse(stored)).compiled;
}

/** Leading messages of a system role are instructions, as in every format but Chat Completions. */
function normalize({ system, messages = [], ...rest }: PromptContent): PromptContent {
  const isInstruction = ({ role }: { readonly role: string }) => role === 'system' || role === 'developer';
  const start = messages.findIndex((message) => !isInstruction(message));
  const leading = messages.slice(0, start < 0 ? messages.length : start).map((message) => message.content);
  const instructions = [...(system === undefined ? [] : [system]), ...leading];
  const others = messages.slice(leading.length);
  return {
    ...(instructions.length > 0 && { system: instructions.join('\n\n') }),
    ...(others.length > 0 && { messages: others }),
    ...rest,
  };
}

function compile(prompt: PromptContent) {
  const { system, messages = [], variables = {} } = prompt;
  const faults: string[] = [];
  const used = new Set<string>();
  const parse = (field: string, source: string): Template => {
    const { template, faults: found } = parseTemplate(source);
    faults.push(...found.map((fault) => `${field}: ${fault}`));
    for (const name of template.names) used.add(name);
    return template;
  };
  const systemTemplate = system === undefined || system === '' ? undefined : parse('system', system);
  const templates = messages.map(({ role, content: source }, at) => {
    if (role !== 'user' && role !== 'assistant')
      faults.push(`messages.${at}.role: messages of role ${role} must come first`);
    if (source === '') faults.push(`messages.${at}.content: must not be empty`);
    const template = parse(`messages.${at}.content`, source);
    return { role: role === 'assistant' ? 'assistant' : 'user', content: template } as const;
  });
  if (systemTemplate === undefined && templates.length === 0)
    faults.push('a prompt needs "system" or "messages"');
  faults.push(...variableFaults(variables, used));
  const defaults = new Map([...used].map((name) => [name, defaultOf(variables, name)]));
  const compiled: CompiledPrompt = {
    content: prompt,
    system: systemTemplate,
    messages: templates,
    variables: defaults,
    characters: charactersOf(prompt),
  };
  return { compiled, faults };
}

function charactersOf({ system = '', messages = [] }: PromptContent): number {
  return messages.reduce((sum, message) => sum + message.content.length, system.length);
}

type Variables = NonNullable<PromptContent['variables']>;

function defaultOf(variables: Variables, name: string): string | undefined {
  return Object.hasOwn(variables, name) ? variables[name]?.default : undefined;
}

function variableFaults(variables: Variables, used: ReadonlySet<string>): readonly string[] {
  const unused = Object.keys(variables).filter((name) => !used.has(name));
  const faults = unused.map((name) =>
    isVariableName(name)
      ? `variables.${name}: no text has {{${name}}}`
      : `variables: ${JSON.stringify(name.slice(0, limits.promptWordMax).toWellFormed())} is no name of letters, digits, _ and -`,
  );
  if (used.size > limits.promptVariablesMax)
    faults.push(`the texts have ${used.size} variables, and the maximum is ${limits.promptVariablesMax}`);
  const characters = Object.values(variables).reduce((sum, one) => sum + (one.default?.length ?? 0), 0);
  if (characters > limits.promptTextCharactersMax)
    faults.push(
      `variables: the defaults have ${characters} characters, and the maximum is ${limits.promptTextCharactersMax}`,
    );
  return faults;
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const path = fieldPath(issue.path);
  if (issue.code === 'unrecognized_keys')
    return `unknown fields: ${issue.keys
      .slice(0, faultsMax)
      .map((key) => JSON.stringify(fieldPath([...issue.path, key])))
      .join(', ')}`;
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}

function fieldPath(path: readonly PropertyKey[]): string {
  return path.map(String).join('.').slice(0, pathCharactersMax).toWellFormed();
}

function contentError(faults: readonly string[]): GatewayError {
  const shown = faults.slice(0, faultsMax);
  const more = faults.length > shown.length ? `; and ${faults.length - shown.length} more` : '';
  return new GatewayError('invalid_request', shown.join('; ') + more);
}

const faultsMax = 20;
const pathCharactersMax = 100;
