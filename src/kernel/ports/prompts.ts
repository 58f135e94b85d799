import type { JsonObject } from '../../lib/json.ts';
import type { PresentedCredential } from './records.ts';

export interface PromptId {
  readonly accountId: string;
  readonly name: string;
}

/** A version of a prompt, which never changes. */
export interface StoredPromptVersion extends PromptId {
  readonly version: number;
  /** Differs from that of every other version, also of a deleted prompt with the same name. */
  readonly id: string;
  readonly content: JsonObject;
  readonly note: string | null;
  readonly createdAtMs: number;
}

export interface StoredPromptLabel {
  readonly label: string;
  readonly version: number;
  readonly updatedAtMs: number;
}

/** A prompt without the content of its versions. */
export interface StoredPrompt {
  readonly name: string;
  /** In ascending order; at least one. */
  readonly versions: readonly Omit<StoredPromptVersion, 'accountId' | 'name' | 'content'>[];
  /** By name. */
  readonly labels: readonly StoredPromptLabel[];
}

export interface AddPromptOptions {
  /** Whether the version begins a new prompt, or continues one. */
  readonly isFirst: boolean;
  /** Labels that are moved to the version. */
  readonly labels: readonly string[];
  /** The maximum for an account: prompts, their versions, and the characters of all contents as JSON. */
  readonly promptsMost: number;
  readonly versionsMost: number;
  readonly charactersMost: number;
  /** The maximum for a prompt. */
  readonly labelsMost: number;
  /** The credential of the request. Nothing is stored if it is no longer valid. */
  readonly shown?: PresentedCredential | undefined;
}

export interface SetLabelOptions extends Pick<AddPromptOptions, 'labelsMost' | 'shown'> {
  readonly atMs: number;
}

/** Prompts of accounts, whose versions are numbered from 1. */
export interface Prompts {
  /** Resolves to the number of the version, or to why it is not stored. */
  add(
    version: Omit<StoredPromptVersion, 'version'>,
    options: AddPromptOptions,
  ): Promise<number | 'exists' | 'unknown' | 'full' | 'labels'>;
  /** By name. */
  list(accountId: string): Promise<readonly StoredPrompt[]>;
  find(id: PromptId, version: number): Promise<StoredPromptVersion | undefined>;
  /** Moves a label, or adds it. */
  setLabel(
    id: PromptId,
    label: Omit<StoredPromptLabel, 'updatedAtMs'>,
    options: SetLabelOptions,
  ): Promise<'set' | 'unknown' | 'labels'>;
  /** False if there was none. */
  deleteLabel(id: PromptId, label: string): Promise<boolean>;
  /** The newest version and those with labels stay, so that no number is used twice and no label points to nothing. */
  deleteVersion(id: PromptId, version: number): Promise<'deleted' | 'unknown' | 'used'>;
  /** With all versions and labels. False if there was none. */
  delete(id: PromptId): Promise<boolean>;
  /** Deletes all of an account. */
  forget(accountId: string): Promise<void>;
}
