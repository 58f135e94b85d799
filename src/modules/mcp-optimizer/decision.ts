import { hash } from 'node:crypto';
import { digestOfTools, type Exchange, isJsonObject, type Kit, type Tool } from '../../module-api.ts';

/** What was decided about the tools of a conversation. */
export interface Decision {
  /** Names of those that are left out. */
  readonly left: readonly string[];
  readonly way: Way;
  /** What these are together. */
  readonly tokens: number;
  /** Whether nothing was asked for yet: the first request chooses anew. */
  readonly isEarly: boolean;
}

/** How the model gets at what is left out: by tools of ours, by its provider's search, or not at all. */
export type Way = 'find' | 'defer' | 'none';

/** The decisions about one list of tools: a client that offers others, or wants others always, has begun anew as far as tools go. */
export class Decisions {
  readonly #exchange: Exchange;
  readonly #ledger: Kit<unknown>['ledger'];
  readonly #tools: readonly Tool[];
  readonly #subject: string;

  constructor(
    exchange: Exchange,
    { ledger, options: { always } }: Pick<Kit<{ readonly always: readonly string[] }>, 'ledger' | 'options'>,
    tools: readonly Tool[],
  ) {
    this.#exchange = exchange;
    this.#ledger = ledger;
    this.#tools = tools;
    // Names of places are short, and there may be many tools that are always wanted.
    const wanted = always.length === 0 ? '' : `:${hash('sha256', always.join('|'), 'base64url')}`;
    this.#subject = `${digestOfTools({ tools })}${wanted}`;
  }

  /** The last one in this conversation, as far as it is the same. */
  async latest(): Promise<Decision | undefined> {
    const { messages } = this.#exchange.request;
    for (let at = messages.length; at > 0; at--) {
      if (at < messages.length && messages[at]?.role !== 'assistant') continue;
      const decided = this.#read(await this.#ledger.recall(this.#place(at)));
      if (decided !== undefined) return decided;
    }
    return undefined;
  }

  /** Of two who decide at the same time, the first is right. */
  async decide(decision: Decision): Promise<Decision | undefined> {
    return this.#read(await this.#ledger.once(this.#place(), () => this.#written(decision)));
  }

  #place(at?: number): string {
    return `tools:${this.#subject}:${this.#exchange.conversation.at(at)}`;
  }

  /** One bit a tool: a ledger has no room for thousands of names. */
  #written({ left, way, tokens, isEarly }: Decision): unknown {
    const names = new Set(left);
    const bits = Buffer.alloc(Math.ceil(this.#tools.length / 8));
    for (const [at, { name }] of this.#tools.entries())
      if (names.has(name)) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
    return { left: bits.toString('base64'), way, tokens, ...(isEarly && { isEarly }) };
  }

  #read(decided: unknown): Decision | undefined {
    if (!isJsonObject(decided)) return undefined;
    const { left, way, tokens } = decided;
    if (typeof left !== 'string' || !isWay(way) || typeof tokens !== 'number') return undefined;
    const bits = Buffer.from(left, 'base64');
    const out = this.#tools.filter((_, at) => ((bits[at >> 3] ?? 0) & (1 << (at & 7))) !== 0);
    return { left: out.map(({ name }) => name), way, tokens, isEarly: decided.isEarly === true };
  }
}

function isWay(way: unknown): way is Way {
  return way === 'find' || way === 'defer' || way === 'none';
}
