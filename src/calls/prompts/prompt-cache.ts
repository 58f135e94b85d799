import type { PromptId, Prompts, StoredPrompt } from '../../kernel/ports/prompts.ts';
import type { Versions } from '../../kernel/ports/shared-state.ts';
import { Lru } from '../../lib/lru.ts';
import { limits } from '../limits.ts';
import { type CompiledPrompt, compilePrompt } from './prompt-content.ts';

/** The prompts of an account by name, without contents. */
type PromptList = ReadonlyMap<string, StoredPrompt>;

interface CachedList {
  readonly version: string;
  readonly list: PromptList;
  readonly versions: number;
}

/** Reads prompts for calls: lists once for each version of an account, and contents, which never change, once. */
export class PromptCache {
  readonly #table: Pick<Prompts, 'list' | 'find'>;
  readonly #versions: Versions;
  readonly #lists = new Lru<CachedList>(limits.cachedPromptVersionsMax, ({ versions }) => 1 + versions);
  readonly #contents = new Lru<CompiledPrompt>(
    limits.cachedPromptCharactersMax,
    ({ characters }) => cachedCharactersMin + characters,
  );
  readonly #lookups = new Map<string, Promise<PromptList>>();

  constructor(table: Pick<Prompts, 'list' | 'find'>, versions: Versions) {
    this.#table = table;
    this.#versions = versions;
  }

  /** Those of an account as of a version of it. Concurrent calls share one query. */
  async listOf(accountId: string, version: string): Promise<PromptList> {
    const cached = this.#lists.get(accountId);
    if (cached?.version === version) return cached.list;
    const name = `${accountId}\n${version}`;
    const lookup = this.#lookups.get(name) ?? this.#read(accountId, version);
    this.#lookups.set(name, lookup);
    return lookup.finally(() => this.#lookups.delete(name));
  }

  /** Undefined if the version was deleted meanwhile. */
  async contentOf(prompt: PromptId, version: number, id: string): Promise<CompiledPrompt | undefined> {
    const cached = this.#contents.get(id);
    if (cached !== undefined) return cached;
    const stored = await this.#table.find(prompt, version);
    if (stored?.id !== id) return undefined;
    const compiled = compilePrompt(stored.content);
    this.#contents.set(id, compiled);
    return compiled;
  }

  async #read(accountId: string, version: string): Promise<PromptList> {
    const prompts = await this.#table.list(accountId);
    const list = new Map(prompts.map((prompt) => [prompt.name, prompt]));
    const versions = prompts.reduce((sum, prompt) => sum + prompt.versions.length, 0);
    // Rows of a later version are not kept for calls that were admitted under this one.
    if ((await this.#versions.of(accountId)) === version)
      this.#lists.set(accountId, { version, list, versions });
    return list;
  }
}

/** What an entry takes besides its texts. */
const cachedCharactersMin = 1000;
