import { z } from 'zod';
import { limits } from '../../../calls/limits.ts';
import { compilePrompt, promptFields } from '../../../calls/prompts/prompt-content.ts';
import type { StoredPrompt, StoredPromptVersion } from '../../../kernel/ports/prompts.ts';
import type { RenderedPrompt } from '../../../kernel/prompt.ts';
import { timestamp } from '../text.ts';

/** What a version has besides its content. */
export const versionExtras = {
  note: z
    .string()
    .max(limits.promptNoteCharactersMax, `must have at most ${limits.promptNoteCharactersMax} characters`)
    .optional()
    .describe('What changed, for people'),
  labels: z
    .array(z.string())
    .max(limits.promptLabelsMax, `must have at most ${limits.promptLabelsMax} labels`)
    .optional()
    .describe('Labels that are moved to the new version'),
};

const labelInfo = z.strictObject({
  label: z.string(),
  version: z.int(),
  updatedAt: z.iso.datetime(),
});
const summary = {
  name: z.string(),
  latest: z.int().describe('The newest version'),
  labels: z.array(labelInfo),
  updatedAt: z.iso.datetime().describe('When the newest version was stored'),
};
export const promptListInfo = z.strictObject({
  prompts: z.array(z.strictObject({ ...summary, versions: z.int().describe('How many there are') })),
});
export const promptInfo = z.strictObject({
  ...summary,
  versions: z
    .array(z.strictObject({ version: z.int(), note: z.string().nullable(), createdAt: z.iso.datetime() }))
    .describe('The newest first'),
});
export const versionInfo = z.strictObject({
  name: z.string(),
  version: z.int(),
  labels: z.array(z.string()),
  note: z.string().nullable(),
  createdAt: z.iso.datetime(),
  ...promptFields,
  variables: z
    .record(
      z.string(),
      z.strictObject({ description: z.string().optional(), default: z.string().optional() }),
    )
    .describe('All variables; those without a default must be given'),
});
export const renderedInfo = z.strictObject({
  name: z.string(),
  version: z.int(),
  model: z.string().nullable(),
  system: z.string().nullable(),
  messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string() })),
  max_tokens: z.int().nullable(),
  temperature: z.number().nullable(),
  top_p: z.number().nullable(),
});

export function describePrompt({ name, versions, labels }: StoredPrompt) {
  return {
    ...describeSummary({ name, versions, labels }),
    versions: versions
      .map(({ version, note, createdAtMs }) => ({ version, note, createdAt: timestamp(createdAtMs) }))
      .reverse(),
  };
}

export function describeListed(prompt: StoredPrompt) {
  return { ...describeSummary(prompt), versions: prompt.versions.length };
}

function describeSummary({ name, versions, labels }: StoredPrompt) {
  const newest = versions.at(-1);
  return {
    name,
    latest: newest?.version ?? 0,
    labels: labels.map(({ label, version, updatedAtMs }) => ({
      ...{ label, version },
      updatedAt: timestamp(updatedAtMs),
    })),
    updatedAt: timestamp(newest?.createdAtMs ?? 0),
  };
}

export function describeVersion(
  { name, version, content, note, createdAtMs }: StoredPromptVersion,
  labels: StoredPrompt['labels'],
) {
  const { content: fields, variables } = compilePrompt(content);
  const declared = new Map(Object.entries(fields.variables ?? {}));
  return {
    ...{ name, version, note },
    labels: labels.filter((one) => one.version === version).map(({ label }) => label),
    createdAt: timestamp(createdAtMs),
    ...fields,
    variables: Object.fromEntries([...variables.keys()].map((one) => [one, declared.get(one) ?? {}])),
  };
}

interface RenderedAnswer {
  readonly name: string;
  readonly version: number;
  readonly model: string | null;
  readonly system: string | null;
  readonly messages: RenderedPrompt['messages'];
  readonly max_tokens: number | null;
  readonly temperature: number | null;
  readonly top_p: number | null;
}

export function describeRendered(
  { name, version }: { readonly name: string; readonly version: number },
  { model, system, messages, maxTokens, temperature, topP }: RenderedPrompt,
): RenderedAnswer {
  return {
    ...{ name, version },
    model: model ?? null,
    system: system ?? null,
    messages,
    max_tokens: maxTokens ?? null,
    temperature: temperature ?? null,
    top_p: topP ?? null,
  };
}
