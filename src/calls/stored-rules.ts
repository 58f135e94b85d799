import { type ConfigurationSet, type ListedConfigurations, readOptions } from '../kernel/configuration.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { CheckedText, Module } from '../kernel/module.ts';
import { namesIn, parsePipelineList } from '../kernel/pipeline-list.ts';
import type { StoredConfiguration } from '../kernel/ports/configurations.ts';
import type { PresentedCredential } from '../kernel/ports/records.ts';
import type { TextModels } from '../kernel/ports/text-models.ts';
import type { JsonObject } from '../lib/json.ts';
import type { AccountConfigurations } from './account-configurations.ts';
import { rulesKind } from './configuration-kinds.ts';
import { scopeTextModels } from './scoped-text-models.ts';

export interface StoredRule {
  readonly name: string;
  readonly source: 'account' | 'gateway';
  readonly content: JsonObject;
  /** What it costs; undefined if this version of the module can't use it. */
  readonly cost: JsonObject | undefined;
  readonly updatedAtMs: number | undefined;
}

export interface StoredRulesParts {
  readonly configurations: AccountConfigurations;
  readonly instance: ListedConfigurations;
  readonly module: Module;
  readonly textModels: TextModels;
}

/** A text and the options to look at it with. */
export interface TextCheck extends CheckedText {
  /** The name of a configuration, whose options the others replace. */
  readonly configuration?: string | undefined;
  /** As in a pipeline list, or as in a configuration. */
  readonly options?: string | JsonObject | undefined;
  /** A rule that isn't stored, beside those of the options. */
  readonly rule?: JsonObject | undefined;
}

interface RuleId {
  readonly accountId: string;
  readonly name: string;
}

/** Rules of accounts and of the operator: definitions of the module `guardrails`. */
export class StoredRules {
  readonly #parts: StoredRulesParts;

  constructor(parts: StoredRulesParts) {
    this.#parts = parts;
  }

  /** Those of the account, then those of the instance that it has not replaced. */
  async list(accountId: string): Promise<readonly StoredRule[]> {
    const { configurations, instance } = this.#parts;
    const stored = (await configurations.list(accountId)).filter(({ module }) => module === rulesKind);
    const own = new Set(stored.map(({ name }) => name));
    const others = instance.names.filter(({ module, name }) => module === rulesKind && !own.has(name));
    return [
      ...stored.map((rule) => this.#describeOwn(rule)),
      ...others.map(({ name }) => {
        const content = instance.find(rulesKind, name) ?? {};
        return {
          name,
          source: 'gateway' as const,
          content,
          cost: this.#costOf(name, content),
          updatedAtMs: undefined,
        };
      }),
    ];
  }

  async put(
    { accountId, name }: RuleId,
    content: JsonObject,
    shown: PresentedCredential | undefined,
  ): Promise<StoredRule> {
    const id = { accountId, module: rulesKind, name };
    return this.#describeOwn(await this.#parts.configurations.put(id, content, shown));
  }

  /** Rejects one that a configuration or the pipeline of an API key names. False if there is none. */
  delete({ accountId, name }: RuleId): Promise<boolean> {
    return this.#parts.configurations.delete({ accountId, module: rulesKind, name });
  }

  /** What the module finds in a text. Nothing is stored. */
  async check(
    accountId: string,
    { text, direction, configuration, options = {}, rule }: TextCheck,
  ): Promise<JsonObject> {
    const { configurations, module, textModels } = this.#parts;
    if (module.check === undefined) throw new GatewayError('not_found', `${module.name} can't check texts`);
    const set = await configurations.currentSetOf(accountId);
    const stored = configuration === undefined ? {} : set.find(module.name, configuration);
    if (stored === undefined)
      throw new GatewayError(
        'unknown_configuration',
        `there is no configuration "${module.name}:${configuration}"`,
      );
    const given =
      typeof options === 'string'
        ? { ...parsePipelineList(`${module.name}?${options}`)[0]?.options }
        : options;
    const listed: JsonObject = { ...stored, ...given };
    const content = rule === undefined ? listed : { ...listed, rules: [...namesIn(listed.rules), draftName] };
    const find: ConfigurationSet['find'] = (kind, name) => {
      if (kind === module.name) return content;
      return rule !== undefined && name === draftName ? rule : set.find(kind, name);
    };
    const entry = { name: module.name, configuration: 'check', options: {} };
    return module.check(
      { text, direction },
      {
        options: readOptions(module, entry, { find }),
        scope: accountId,
        textModels: scopeTextModels(textModels, accountId),
      },
    );
  }

  #describeOwn({ name, content, updatedAtMs }: StoredConfiguration): StoredRule {
    return { name, source: 'account', content, cost: this.#costOf(name, content), updatedAtMs };
  }

  #costOf(name: string, content: JsonObject): JsonObject | undefined {
    try {
      return this.#parts.module.definitions?.describe(name, content);
    } catch (thrown) {
      if (GatewayError.is(thrown)) return undefined;
      throw thrown;
    }
  }
}

/** The name of a rule in a check. */
const draftName = 'draft';
