import { hash } from 'node:crypto';
import { digestOfTools, type Exchange, isJsonObject, type Kit, type Tool } from '../../module-api.ts';

/** A decision about the tools of a conversation. */
export interface ToolDecision {
  /** Names of omitted tools. */
  readonly omitted: readonly string[];
  readonly retrieval: RetrievalMode;
  /** Tokens of the omitted tools. */
  readonly tokens: number;
  /** Whether there was only small talk, so that the first request chooses anew. */
  readonly isEarly: boolean;
}

/** How the model reaches omitted tools: with the gateway's tools, the provider's search, or not at all. */
export type RetrievalMode = 'find' | 'defer' | 'none';

/** The decisions about one list of tools. A changed list or `always` option starts a new log. */
export class ToolDecisionLog {
  readonly #exchange: Exchange;
  readonly #decisions: Kit<unknown>['decisions'];
  readonly #tools: readonly Tool[];
  readonly #toolListKey: string;

  constructor(
    exchange: Exchange,
    {
      decisions,
      options: { always },
    }: Pick<Kit<{ readonly always: readonly string[] }>, 'decisions' | 'options'>,
    tools: readonly Tool[],
  ) {
    this.#exchange = exchange;
    this.#decisions = decisions;
    this.#tools = tools;
    // Hashed, because keys are short and `always` may name many tools.
    const wanted = always.length === 0 ? '' : `:${hash('sha256', always.join('|'), 'base64url')}`;
    this.#toolListKey = `${digestOfTools({ tools })}${wanted}`;
  }

  /** The latest decision for a prefix of this conversation. */
  async latest(): Promise<ToolDecision | undefined> {
    const { messages } = this.#exchange.request;
    const keys: string[] = [];
    for (let at = messages.length; at > 0; at--)
      if (at === messages.length || messages[at]?.role === 'assistant') keys.push(this.#decisionKey(at));
    for (const stored of (await this.#decisions.getAll(keys)).values()) {
      const decided = this.#parse(stored);
      if (decided !== undefined) return decided;
    }
    return undefined;
  }

  /** Of two concurrent decisions the first wins. */
  async decide(toolDecision: ToolDecision): Promise<ToolDecision | undefined> {
    return this.#parse(
      await this.#decisions.decideOnce(this.#decisionKey(), () => this.#serialize(toolDecision)),
    );
  }

  #decisionKey(at?: number): string {
    return `tools:${this.#toolListKey}:${this.#exchange.conversation.digestAt(at)}`;
  }

  /** One bit per tool: the decision log has no room for thousands of names. */
  #serialize({ omitted, retrieval, tokens, isEarly }: ToolDecision): unknown {
    const names = new Set(omitted);
    const bits = Buffer.alloc(Math.ceil(this.#tools.length / 8));
    for (const [at, { name }] of this.#tools.entries())
      if (names.has(name)) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
    return { left: bits.toString('base64'), way: retrieval, tokens, ...(isEarly && { isEarly }) };
  }

  #parse(decided: unknown): ToolDecision | undefined {
    if (!isJsonObject(decided)) return undefined;
    const { left, way: retrieval, tokens } = decided;
    if (typeof left !== 'string' || !isRetrievalMode(retrieval) || typeof tokens !== 'number')
      return undefined;
    const bits = Buffer.from(left, 'base64');
    const out = this.#tools.filter((_, at) => ((bits[at >> 3] ?? 0) & (1 << (at & 7))) !== 0);
    return { omitted: out.map(({ name }) => name), retrieval, tokens, isEarly: decided.isEarly === true };
  }
}

function isRetrievalMode(value: unknown): value is RetrievalMode {
  return value === 'find' || value === 'defer' || value === 'none';
}
