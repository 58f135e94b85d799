import { hash } from 'node:crypto';
import { Networks } from '../lib/networks.ts';
import { Wildcard } from '../lib/wildcard.ts';
import { isResolved, type Target, underlyingModelOf } from './provider.ts';

/** What an API key may be used for. A rule that is undefined allows everything, an empty list nothing. */
export interface AccessRules {
  /** Patterns of models: those with a slash for `provider/model`, others for the model's own name. */
  readonly models?: readonly string[] | undefined;
  /** Names of providers. */
  readonly providers?: readonly string[] | undefined;
  /** Patterns of tools of MCP servers, such as `github__*`. */
  readonly tools?: readonly string[] | undefined;
  /** Lists that the header `x-weir-pipeline` may have. */
  readonly pipelines?: readonly string[] | undefined;
  /** Addresses and networks of clients. */
  readonly addresses?: readonly string[] | undefined;
  /** When the key stops working. */
  readonly expiresAtMs?: number | undefined;
  /** The end user of all calls, whatever they say. */
  readonly endUser?: string | undefined;
}

/** The access rules of a key, ready for use. */
export class KeyAccess {
  readonly rules: AccessRules;
  /** The same for keys that may use the same models; empty without such a rule. */
  readonly modelsDigest: string;
  readonly #models: ModelPatterns | undefined;
  readonly #providers: ReadonlySet<string> | undefined;
  readonly #tools: readonly Wildcard[] | undefined;
  readonly #pipelines: ReadonlySet<string> | undefined;
  readonly #networks: Networks | undefined;

  constructor(rules: AccessRules) {
    const { models, providers, tools, pipelines, addresses } = rules;
    this.rules = rules;
    this.#models = models && new ModelPatterns(models);
    this.#providers = providers && new Set(providers);
    this.#tools = tools?.map((pattern) => new Wildcard(pattern));
    this.#pipelines = pipelines && new Set(pipelines.map(plainList));
    // What can't be read allows nothing.
    this.#networks = addresses && (Networks.parse(addresses) ?? Networks.parse([]));
    const limited = models !== undefined || providers !== undefined;
    this.modelsDigest = limited ? hash('sha256', JSON.stringify([models ?? null, providers ?? null])) : '';
  }

  /** Undefined without rules. */
  static of(rules: AccessRules | undefined): KeyAccess | undefined {
    return rules && new KeyAccess(rules);
  }

  isExpired(nowMs: number): boolean {
    return this.rules.expiresAtMs !== undefined && this.rules.expiresAtMs <= nowMs;
  }

  /** An unknown address is not allowed where there is a rule. */
  allowsAddress(address: string | undefined): boolean {
    return this.#networks === undefined || (address !== undefined && this.#networks.has(address));
  }

  allowsProvider(provider: string): boolean {
    return this.#providers?.has(provider) !== false;
  }

  /** A name that no provider knows counts as it is. */
  allowsModel(target: Target): boolean {
    if (this.#models === undefined) return true;
    if (!isResolved(target)) return this.#models.haveName(target.model);
    return this.#models.haveTarget(target);
  }

  /** A tool, or a prompt, of an MCP server by its name at the gateway. */
  allowsTool(name: string): boolean {
    return this.#tools?.some((pattern) => pattern.matches(name)) !== false;
  }

  /** Whether it may be that a tool whose name begins like this is allowed. */
  mayAllowTools(prefix: string): boolean {
    return this.#tools?.some((pattern) => pattern.mayBegin(prefix)) !== false;
  }

  /** Whether all tools are allowed whose names begin like this. */
  allowsAllTools(prefix: string): boolean {
    return this.#tools?.some((pattern) => pattern.matchesAllFrom(prefix)) !== false;
  }

  /** Whether models are limited, so that they have to be known before a call is sent. */
  get limitsModels(): boolean {
    return this.#models !== undefined;
  }

  /** Whether the rules list this name itself, not by a pattern. */
  listsModel(name: string): boolean {
    return this.rules.models?.includes(name) === true;
  }

  /** Whether a request may bring this pipeline list. */
  allowsPipeline(list: string): boolean {
    return this.#pipelines?.has(plainList(list)) !== false;
  }
}

/** Whether none of the rules is set. */
export function isWithoutRules(rules: AccessRules): boolean {
  return Object.values(rules).every((rule) => rule === undefined);
}

class ModelPatterns {
  readonly #own: readonly Wildcard[];
  readonly #qualified: readonly Wildcard[];

  constructor(patterns: readonly string[]) {
    const isQualified = (pattern: string) => pattern.includes('/');
    this.#own = patterns.filter((pattern) => !isQualified(pattern)).map((pattern) => new Wildcard(pattern));
    this.#qualified = patterns.filter(isQualified).map((pattern) => new Wildcard(pattern));
  }

  haveName(name: string): boolean {
    const patterns = name.includes('/') ? [...this.#own, ...this.#qualified] : this.#own;
    return patterns.some((pattern) => pattern.matches(name));
  }

  /** The name of a deployment says nothing about its model: the model itself counts. */
  haveTarget(target: Target): boolean {
    const { provider, model } = target;
    const underlying = underlyingModelOf(target);
    if (this.#own.some((pattern) => pattern.matches(underlying))) return true;
    if (this.#qualified.length === 0) return false;
    const qualified = provider.ownNames?.test(model) === true ? model : `${provider.name}/${model}`;
    return this.#qualified.some((pattern) => pattern.matches(qualified));
  }
}

/** A list as the gateway reads it: blanks don't count, and an empty list runs nothing. */
function plainList(list: string): string {
  const plain = list.replaceAll(/\s/g, '');
  return plain === '' ? 'none' : plain;
}
