import { type Kysely, sql } from 'kysely';
import type { MovedRow } from '../../../kernel/ports/moving.ts';
import type { RowOutcome } from '../../../kernel/ports/moving-report.ts';
import type { Tables } from '../tables.ts';
import type { ImportContext } from './moved-table.ts';

/** Which prompts of a file an account can have: within its limits, and none that mixes with another prompt of its name. */
export class PromptBounds {
  readonly #db: Kysely<Tables>;
  readonly #context: ImportContext;
  /** Prompts of the file of which a version differs from that of the account. */
  readonly #differing = new Set<string>();
  /** Versions of the file that the account has, or gets. */
  readonly #usable = new Set<string>();
  readonly #labels = new Map<string, number>();
  #stored: { readonly names: Set<string>; versions: number; characters: number } | undefined;

  constructor(db: Kysely<Tables>, context: ImportContext) {
    this.#db = db;
    this.#context = context;
  }

  /** The reason why the account can't have a version that it doesn't have yet. */
  async refuseVersion({ name, content }: MovedRow): Promise<string | undefined> {
    const prompt = String(name);
    if (this.#differing.has(prompt)) return 'the account has another prompt of this name';
    this.#stored ??= await this.#readStored();
    const stored = this.#stored;
    const { prompts, versions, characters } = this.#context.promptBounds;
    if (!stored.names.has(prompt) && stored.names.size >= prompts)
      return `an account has at most ${prompts} prompts`;
    if (stored.versions >= versions) return `an account has at most ${versions} versions of prompts`;
    const { length } = String(content);
    if (stored.characters + length > characters)
      return `the prompts of an account have at most ${characters} characters`;
    stored.names.add(prompt);
    stored.versions++;
    stored.characters += length;
    return undefined;
  }

  noteVersion({ name, version }: MovedRow, { what }: RowOutcome): void {
    if (what === 'conflict') this.#differing.add(String(name));
    if (what === 'added' || what === 'unchanged') this.#usable.add(`${name} ${version}`);
  }

  /** The reason why a label can't be added, or moved if it is in the account already. */
  async refuseLabel({ name, version }: MovedRow, isNew: boolean): Promise<string | undefined> {
    if (!this.#usable.has(`${name} ${version}`))
      return 'the account does not have the version that it points to';
    if (!isNew) return undefined;
    const prompt = String(name);
    const most = this.#context.promptBounds.labels;
    const labels = this.#labels.get(prompt) ?? (await this.#countLabels(prompt));
    if (labels >= most) return `a prompt has at most ${most} labels`;
    this.#labels.set(prompt, labels + 1);
    return undefined;
  }

  async #readStored() {
    const rows = await this.#db
      .selectFrom('prompt_versions')
      .select([
        'name',
        sql<number>`count(*)`.as('versions'),
        sql<number>`sum(length(content))`.as('characters'),
      ])
      .where('account_id', '=', this.#context.owner.accountId)
      .groupBy('name')
      .execute();
    const sumOf = (figure: 'versions' | 'characters') =>
      rows.reduce((sum, row) => sum + Number(row[figure]), 0);
    return {
      names: new Set(rows.map(({ name }) => name)),
      versions: sumOf('versions'),
      characters: sumOf('characters'),
    };
  }

  async #countLabels(prompt: string): Promise<number> {
    const { count } = await this.#db
      .selectFrom('prompt_labels')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('account_id', '=', this.#context.owner.accountId)
      .where('name', '=', prompt)
      .executeTakeFirstOrThrow();
    return Number(count);
  }
}
