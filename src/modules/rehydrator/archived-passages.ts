import {
  type ArchivedItem,
  type ArchivedItemInfo,
  type Exchange,
  endUserRefOf,
  isJsonObject,
  type Kit,
  Lru,
  type Message,
} from '../../module-api.ts';
import { limits } from './limits.ts';
import type { RehydratorOptions } from './options.ts';
import { charactersOf, type IndexedPassage, PassageIndexer } from './passages.ts';

type RehydratorKit = Kit<RehydratorOptions>;

/** The passages of archived items. Items never change, so those in memory can't become stale. */
export class ArchivedPassages {
  readonly #cached = new Lru<readonly IndexedPassage[]>(limits.cachedCharactersMax, charactersOf);

  /** Of the newest items in scope, in the order of their messages. Items beyond what a call may wait for are read after it. */
  async find(exchange: Exchange, kit: RehydratorKit): Promise<readonly IndexedPassage[]> {
    const found: (readonly IndexedPassage[])[] = [];
    const later: ArchivedItemInfo[] = [];
    let awaited = limits.awaitedCharactersMax;
    let left = limits.searchedCharactersMax;
    for (const item of await listItems(exchange, kit)) {
      const known = this.#cached.get(keyOf(item, kit));
      if (known === undefined && awaited <= 0) {
        later.push(item);
        continue;
      }
      const passages = known ?? (await this.#load(item, kit));
      if (known === undefined) awaited -= charactersOf(passages);
      left -= charactersOf(passages);
      if (left < 0) break;
      found.push(passages);
    }
    if (later.length > 0)
      kit.runInBackground(async () => {
        for (const item of later) await this.#load(item, kit);
      });
    return found.reverse().flat();
  }

  async #load(info: ArchivedItemInfo, kit: RehydratorKit): Promise<readonly IndexedPassage[]> {
    const item = await kit.archive.find(info.ref);
    const passages = item === undefined ? [] : await indexItem(item);
    this.#cached.set(keyOf(info, kit), passages);
    return passages;
  }
}

async function indexItem({ content, conversation, createdAtMs }: ArchivedItem) {
  const indexer = new PassageIndexer();
  const passages: IndexedPassage[] = [];
  for (const [at, message] of messagesIn(content).entries())
    for (const passage of await indexer.index(message, at + 1))
      passages.push({ ...passage, archived: { conversation, atMs: createdAtMs } });
  return passages;
}

function messagesIn(content: unknown): readonly Message[] {
  return Array.isArray(content) ? content.filter(isMessage) : [];
}

function isMessage(value: unknown): value is Message {
  if (!isJsonObject(value) || (value.role !== 'user' && value.role !== 'assistant')) return false;
  return typeof value.content === 'string' || Array.isArray(value.content);
}

function keyOf({ ref }: ArchivedItemInfo, { scope }: RehydratorKit): string {
  return `${scope}\n${ref}`;
}

/** The newest first. The archive hides items of other end users. */
async function listItems(
  { conversation, clientRequest }: Exchange,
  { archive, options, scope }: RehydratorKit,
): Promise<readonly ArchivedItemInfo[]> {
  const where = {
    conversation: { conversation: conversation.name },
    user: { person: endUserRefOf(clientRequest, scope) },
    account: {},
  }[options.scope];
  const items: ArchivedItemInfo[] = [];
  let after: string | undefined;
  do {
    const page = await archive.list({ ...where, after });
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined && items.length < limits.archivedItemsMax);
  return items;
}
