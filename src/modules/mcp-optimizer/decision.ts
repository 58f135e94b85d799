import { digestOfTools, type Exchange, isJsonObject, type Kit, type Tool } from '../../module-api.ts';

/** What was decided about the tools of a conversation. */
export interface Decision {
  /** Names of those that are left out. */
  readonly left: readonly string[];
  readonly way: Way;
}

/** How the model gets at what is left out: by tools of ours, by its provider's search, or not at all. */
export type Way = 'find' | 'defer' | 'none';

/** The decisions about one list of tools: a client that offers others has begun anew, as far as tools go. */
export class Decisions {
  readonly #exchange: Exchange;
  readonly #ledger: Kit<unknown>['ledger'];
  readonly #tools: string;

  constructor(exchange: Exchange, { ledger }: Pick<Kit<unknown>, 'ledger'>, tools: readonly Tool[]) {
    this.#exchange = exchange;
    this.#ledger = ledger;
    this.#tools = digestOfTools({ tools });
  }

  /** The last one in this conversation, as far as it is the same. */
  async latest(): Promise<Decision | undefined> {
    const { messages } = this.#exchange.request;
    for (let at = messages.length; at > 0; at--) {
      if (at < messages.length && messages[at]?.role !== 'assistant') continue;
      const decided = await this.#ledger.recall(this.#place(at));
      if (isDecision(decided)) return decided;
    }
    return undefined;
  }

  /** Of two who decide at the same time, the first is right. */
  async decide(decision: Decision): Promise<Decision | undefined> {
    const decided = await this.#ledger.once(this.#place(), () => decision);
    return isDecision(decided) ? decided : undefined;
  }

  #place(at?: number): string {
    return `tools:${this.#tools}:${this.#exchange.conversation.at(at)}`;
  }
}

function isDecision(decided: unknown): decided is Decision {
  return isJsonObject(decided) && Array.isArray(decided.left) && typeof decided.way === 'string';
}
