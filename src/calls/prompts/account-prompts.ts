import { randomUUID } from 'node:crypto';
import { GatewayError } from '../../kernel/errors.ts';
import { invalidFieldError } from '../../kernel/input-validation.ts';
import type { PromptId, Prompts, StoredPrompt, StoredPromptVersion } from '../../kernel/ports/prompts.ts';
import type { PresentedCredential } from '../../kernel/ports/records.ts';
import type { Versions } from '../../kernel/ports/shared-state.ts';
import type { PromptVersion } from '../../kernel/prompt.ts';
import type { Clock } from '../../lib/clock.ts';
import type { JsonObject } from '../../lib/json.ts';
import { limits } from '../limits.ts';
import { PromptCache } from './prompt-cache.ts';
import { type CompiledPrompt, readPromptContent } from './prompt-content.ts';
import {
  isLabelName,
  isPromptName,
  labelRule,
  latestLabel,
  type PromptSelector,
  promptNameRule,
} from './prompt-reference.ts';

export interface AccountPromptsParts {
  readonly table: Prompts;
  readonly versions: Versions;
  readonly clock: Clock;
}

/** A version of a prompt, ready for use. */
export interface ResolvedPrompt {
  readonly version: PromptVersion;
  readonly prompt: CompiledPrompt;
}

interface NewVersion {
  readonly content: JsonObject;
  readonly note: string | null;
  readonly labels: readonly string[];
}

/** The prompts that accounts store. A change is in use on every replica once its promise resolves. */
export class AccountPrompts {
  readonly #parts: AccountPromptsParts;
  readonly #cache: PromptCache;

  constructor(parts: AccountPromptsParts) {
    this.#parts = parts;
    this.#cache = new PromptCache(parts.table, parts.versions);
  }

  /** The version of the account as of now. */
  async versionOf(accountId: string): Promise<string> {
    return this.#parts.versions.of(accountId);
  }

  /** The version of a prompt that a call means, as of a version of the account. */
  async find(
    { accountId, name }: PromptId,
    selector: PromptSelector,
    accountVersion: string,
  ): Promise<ResolvedPrompt> {
    const stored = (await this.#cache.listOf(accountId, accountVersion)).get(name);
    if (stored === undefined) throw promptNotFoundError(name);
    const { version, id } = selectVersion(stored, selector);
    const prompt = await this.#cache.contentOf({ accountId, name }, version, id);
    if (prompt === undefined) throw versionNotFoundError(stored, version);
    return { version: { name, version }, prompt };
  }

  list(accountId: string): Promise<readonly StoredPrompt[]> {
    return this.#parts.table.list(accountId);
  }

  async get({ accountId, name }: PromptId): Promise<StoredPrompt> {
    const stored = (await this.list(accountId)).find((one) => one.name === name);
    if (stored === undefined) throw promptNotFoundError(name);
    return stored;
  }

  async getVersion(id: PromptId, selector: PromptSelector): Promise<StoredPromptVersion> {
    const stored = await this.get(id);
    const found = await this.#parts.table.find(id, selectVersion(stored, selector).version);
    if (found === undefined) throw versionNotFoundError(stored, selector);
    return found;
  }

  /** Stores the first version of a prompt, or another one. */
  async add(
    { accountId, name }: PromptId,
    { content, note, labels }: NewVersion,
    { isFirst, shown }: { readonly isFirst: boolean; readonly shown: PresentedCredential | undefined },
  ): Promise<number> {
    const { table, clock } = this.#parts;
    if (!isPromptName(name)) throw invalidFieldError(`the name of a prompt ${promptNameRule}`, 'name');
    for (const label of labels) requireLabel(label, 'labels');
    const { content: checked } = readPromptContent(content);
    const added = await table.add(
      { accountId, name, id: randomUUID(), content: checked, note, createdAtMs: clock.now() },
      {
        ...{ isFirst, labels, shown },
        promptsMost: limits.promptsMax,
        versionsMost: limits.promptVersionsMax,
        charactersMost: limits.promptCharactersMax,
        labelsMost: limits.promptLabelsMax,
      },
    );
    if (typeof added !== 'number') throw addError(name, added);
    await this.#renew(accountId);
    return added;
  }

  /** Moves a label to a version, or adds it. */
  async setLabel(
    id: PromptId,
    { label, version }: { readonly label: string; readonly version: number },
    shown: PresentedCredential | undefined,
  ): Promise<void> {
    const { table, clock } = this.#parts;
    requireLabel(label, 'label');
    const options = { atMs: clock.now(), labelsMost: limits.promptLabelsMax, shown };
    const outcome = await table.setLabel(id, { label, version }, options);
    if (outcome === 'unknown') throw versionNotFoundError(await this.get(id), version);
    if (outcome === 'labels') throw addError(id.name, outcome);
    await this.#renew(id.accountId);
  }

  async deleteLabel(id: PromptId, label: string): Promise<void> {
    const isDeleted = await this.#parts.table.deleteLabel(id, label);
    await this.#renew(id.accountId);
    if (!isDeleted) throw labelNotFoundError(await this.get(id), label);
  }

  async deleteVersion(id: PromptId, version: number): Promise<void> {
    const outcome = await this.#parts.table.deleteVersion(id, version);
    if (outcome === 'unknown') throw versionNotFoundError(await this.get(id), version);
    if (outcome === 'used')
      throw new GatewayError(
        'prompt_in_use',
        `version ${version} of prompt "${id.name}" is the newest or has a label; move its labels, or delete the prompt`,
      );
    await this.#renew(id.accountId);
  }

  async delete(id: PromptId): Promise<void> {
    const isDeleted = await this.#parts.table.delete(id);
    await this.#renew(id.accountId);
    if (!isDeleted) throw promptNotFoundError(id.name);
  }

  async #renew(accountId: string): Promise<void> {
    await this.#parts.versions.renew(accountId);
  }
}

function selectVersion(
  stored: StoredPrompt,
  selector: PromptSelector,
): { readonly version: number; readonly id: string } {
  const { versions, labels } = stored;
  const version =
    typeof selector === 'number' ? selector : labels.find(({ label }) => label === selector)?.version;
  const found = selector === latestLabel ? versions.at(-1) : versions.find((one) => one.version === version);
  if (found !== undefined) return found;
  throw typeof selector === 'number'
    ? versionNotFoundError(stored, selector)
    : labelNotFoundError(stored, selector);
}

function requireLabel(label: string, param: string): void {
  if (label === latestLabel)
    throw invalidFieldError(`"${latestLabel}" always names the newest version; choose another label`, param);
  if (!isLabelName(label)) throw invalidFieldError(`a label ${labelRule}`, param);
}

function promptNotFoundError(name: string): GatewayError {
  return new GatewayError(
    'prompt_not_found',
    `this account has no prompt "${shown(name)}"; GET /v1/prompts lists them`,
    { param: 'prompt' },
  );
}

function versionNotFoundError({ name, versions }: StoredPrompt, selector: PromptSelector): GatewayError {
  return new GatewayError(
    'prompt_not_found',
    `prompt "${name}" has no version ${shown(String(selector))}; its newest is ${versions.at(-1)?.version ?? 0}`,
    { param: 'prompt' },
  );
}

function labelNotFoundError({ name, labels }: StoredPrompt, label: string): GatewayError {
  const all = [latestLabel, ...labels.map((one) => one.label)].join(', ');
  return new GatewayError(
    'prompt_not_found',
    `prompt "${name}" has no label "${shown(label)}"; it has ${all}`,
    { param: 'prompt' },
  );
}

function shown(text: string): string {
  return text.slice(0, 100).toWellFormed();
}

function addError(name: string, why: 'exists' | 'unknown' | 'full' | 'labels'): GatewayError {
  switch (why) {
    case 'exists':
      return new GatewayError(
        'prompt_exists',
        `there is a prompt "${name}"; add a version with POST /v1/prompts/${name}/versions`,
        { param: 'name' },
      );
    case 'unknown':
      return promptNotFoundError(name);
    case 'labels':
      return new GatewayError(
        'prompt_limit_reached',
        `a prompt has at most ${limits.promptLabelsMax} labels; delete one`,
      );
    case 'full':
      return new GatewayError(
        'prompt_limit_reached',
        `an account has at most ${limits.promptsMax} prompts with ${limits.promptVersionsMax} versions in all, and ${limits.promptCharactersMax} characters of JSON; delete some`,
      );
  }
}
