import type { McpCaller } from '../../kernel/ports/mcp.ts';
import type { McpServer } from '../servers/mcp-server.ts';
import type { ListName } from '../upstream/server-connection.ts';
import { type CatalogItem, nameFields } from './catalog-item.ts';

/** Who may use what; see `src/mcp/access`. */
export interface CatalogAccess {
  isAllowed(caller: McpCaller, server: McpServer, name: string): boolean;
  isVisible(caller: McpCaller, server: McpServer): boolean;
  isUnrestricted(caller: McpCaller, server: McpServer): boolean;
}

/** Which items of servers one caller may use. */
export class ItemAccess {
  readonly #access: CatalogAccess;
  readonly #caller: McpCaller;

  constructor(access: CatalogAccess, caller: McpCaller) {
    this.#access = access;
    this.#caller = caller;
  }

  /** Whether the caller may use all that is about no single tool, such as resources. */
  mayReadAll(server: McpServer): boolean {
    return this.#access.isUnrestricted(this.#caller, server);
  }

  filter(list: ListName, server: McpServer, items: ReadonlyMap<string, CatalogItem>): readonly CatalogItem[] {
    const isWhole = this.mayReadAll(server);
    if (nameFields[list] !== 'name') return isWhole ? [...items.values()] : [];
    const { allow, deny } = server.tools;
    if (isWhole && allow.length === 0 && deny.length === 0) return [...items.values()];
    return items
      .values()
      .filter(({ ownName }) => this.#isPermitted(server, ownName))
      .toArray();
  }

  /** What the caller may not use takes the same way, and time, as what does not exist. */
  find(server: McpServer, items: ReadonlyMap<string, CatalogItem>, name: string): CatalogItem | undefined {
    const item = items.get(name);
    return item !== undefined && this.#isPermitted(server, item.ownName) ? item : undefined;
  }

  #isPermitted(server: McpServer, ownName: string): boolean {
    return this.#access.isAllowed(this.#caller, server, ownName);
  }
}
