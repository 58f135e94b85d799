import type { FieldChanges } from './json/replace-fields.ts';

/** The version of a stored prompt that a call uses. */
export interface PromptVersion {
  readonly name: string;
  readonly version: number;
}

interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** A version of a stored prompt with values in place of its variables. */
export interface RenderedPrompt {
  readonly system: string | undefined;
  readonly messages: readonly PromptMessage[];
  readonly model: string | undefined;
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
}

/** What a call has to change so that it begins with a prompt. */
export interface PromptInsertion {
  readonly changes: FieldChanges;
  /** For formats that name the model in the path. */
  readonly path?: string;
}

/** As people write it: `support@3`. */
export function formatPromptVersion({ name, version }: PromptVersion): string {
  return `${name}@${version}`;
}
