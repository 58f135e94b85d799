import {
  abstains,
  appendTexts,
  blocksOf,
  decideAppendedText,
  type Exchange,
  endUserRefOf,
  hasCompaction,
  isCompactionBlock,
  isJsonObject,
  type Kit,
  Lru,
  type Message,
  type ModuleFactory,
  newestUserTextIndex,
  type PlacedText,
  providerConversationId,
  type Reply,
  recallAppendedTexts,
  recordAppendedCost,
  resultText,
} from '../../module-api.ts';
import { archiveDropped, archiveForContinuation, droppedMessagesOf } from './dropped-messages.ts';
import { fingerprintOf, lineHashesOf } from './fingerprint.ts';
import { keepQuotations, type Ledger } from './ledger.ts';
import { type ContextStart, type LedgerEntry, LedgerStore, ledgers, sharesEnough } from './ledger-store.ts';
import {
  bytesPerToken,
  requestBytesMin,
  summaryCharsMin,
  unlinkedContextsMax,
  unrecognizedBytesMin,
  unrecognizedSummaryCharsMin,
} from './limits.ts';
import { type CompactionBridgeOptions, compactionBridgeOptions } from './options.ts';
import { restoreQuotations } from './restoration.ts';
import { onAnswer, type SummaryAnswer } from './summary-answer.ts';
import { lastTextOf, recognizeSummaryRequest, type SummaryRequestKind } from './summary-requests.ts';
import { readableTextOf, startTextsOf, type Utterance, utterancesOf } from './utterances.ts';

type BridgeKit = Kit<CompactionBridgeOptions>;

/** The decision about a message: the text that is put back, and the ledger that it comes from. */
interface RestorationDecision {
  readonly text: string;
  readonly ledger: string;
  readonly kept: number;
  readonly restored: number;
}

const name = 'compaction-bridge';

/** Remembers what a client's summary of the conversation may lose, and puts it back after the compaction. */
export const compactionBridge: ModuleFactory<CompactionBridgeOptions> = () => {
  /** Contexts without a ledger. */
  const unlinked = new Lru<true>(unlinkedContextsMax);

  return {
    api: 1,
    name,
    summary: "Carries what the user wants across a client's compaction.",
    status: 'preview',
    protective: false,
    order: 45,
    ifBroken: 'skip',
    touches: ['history', 'newest-turn'],
    options: compactionBridgeOptions,
    collections: [ledgers],

    async handle(exchange, next, kit) {
      const reason = reasonToSkip(exchange);
      if (reason !== undefined) {
        kit.note({ aside: reason });
        return next(exchange);
      }
      const call = new BridgedCall(exchange, kit, recognizeSummaryRequest(exchange));
      const goesOn = await call.restore(unlinked);
      // While the provider works.
      const reading = call.readIfRecognized();
      reading.catch(() => undefined);
      const reply = await next(goesOn);
      await reading;
      call.rememberAfter(reply);
      return reply;
    },
  };
};

function reasonToSkip(exchange: Exchange): string | undefined {
  const { caller, clientRequest } = exchange;
  // A caller without an account can't be recognized in later calls.
  if (caller.kind !== 'local' && caller.kind !== 'account') return 'anonymous';
  if (clientRequest.bytes.byteLength < requestBytesMin) return 'small';
  return providerConversationId(exchange) === undefined ? undefined : 'stored-conversation';
}

/** Whether the answer may be the summary of a client that is not recognized: a long conversation, and words of the user at its end. */
function mayBeSummary({ clientRequest, request }: Exchange): boolean {
  return clientRequest.bytes.byteLength >= unrecognizedBytesMin && newestUserTextIndex(request.messages) >= 0;
}

/** A conversation that is being summarized. */
interface ConversationReading {
  readonly ledger: Ledger;
  readonly utterances: readonly Utterance[];
}

/** The work of the module on one call. */
class BridgedCall {
  readonly #exchange: Exchange;
  readonly #kit: BridgeKit;
  #kind: SummaryRequestKind | undefined;
  readonly #store: LedgerStore;
  /** The end user; null if none is named. */
  readonly #person: string | null;
  /** The key of the ledger that this context was linked to. */
  #linked: string | undefined;
  #reading: Promise<ConversationReading> | undefined;

  constructor(exchange: Exchange, kit: BridgeKit, kind: SummaryRequestKind | undefined) {
    this.#exchange = exchange;
    this.#kit = kit;
    this.#kind = kind;
    this.#store = new LedgerStore(kit.store);
    this.#person = endUserRefOf(exchange.clientRequest, kit.scope);
  }

  /** The exchange with what a compaction lost, if this context began with one. */
  async restore(unlinked: Lru<true>): Promise<Exchange> {
    const exchange = this.#exchange;
    const kit = this.#kit;
    const { conversation, request } = exchange;
    const from = Math.max(0, request.messages.findLastIndex(hasCompaction));
    // With the second message: in some clients, the first is the same in all conversations after a compaction.
    const context = `${kit.scope} ${conversation.digestAt(Math.min(request.messages.length, from + 2))}`;
    if (unlinked.get(context) === true) return this.#unchanged('not-compacted');
    const placed = await recallAppendedTexts(exchange, kit, parseDecision);
    if (placed.length > 0) {
      await abstains(exchange, name, kit);
      return this.#append(placed, 'earlier');
    }
    if (this.#asksForSummary && this.#kind !== 'instruction') return exchange;
    const found = await this.#findLedger(from);
    if (this.#kind === 'instruction') {
      // A summary that is introduced to its reader may look like an instruction to summarize.
      const last = lastTextOf(request.messages.at(-1) ?? noMessage);
      if (found === undefined || !sharesLines(last, found.fingerprint, this.#salt())) return exchange;
      this.#kind = undefined;
    }
    if (found === undefined) {
      unlinked.set(context, true);
      return this.#unchanged('not-compacted');
    }
    this.#linked = found.key;
    const at = this.#placeAfter(found, from);
    if (at < 0 || kit.prefix.isThinking) return this.#unchanged(at < 0 ? 'no-user-text' : 'thinking');
    const { ledger } = found;
    const { text, count } = restoreQuotations(ledger, this.#contextTexts(from), kit.options.budget_tokens);
    // The user's next message will be new to the provider.
    if (appendTexts(exchange, [{ at, decision: { text } }], kit) === exchange && text !== '') return exchange;
    if (await abstains(exchange, name, kit)) return exchange;
    const decision = { text, ledger: found.key, kept: ledger.quotations.length, restored: count };
    const decided = await decideAppendedText(exchange, kit, { at, decision, parse: parseDecision });
    kit.runInBackground(() => archiveForContinuation(ledger, exchange, this.#archiving()));
    return decided === undefined ? exchange : this.#append([{ at, decision: decided }], 'fresh');
  }

  /** Whether the answer will be a summary; a provider may also make one on the way to its answer. */
  get #asksForSummary(): boolean {
    return this.#kind !== undefined && this.#kind !== 'provider';
  }

  /** Starts to read the conversation of a request for a summary, so that the trace has what was kept. */
  async readIfRecognized(): Promise<void> {
    if (!this.#asksForSummary) return;
    const { ledger } = await this.#read();
    this.#kit.note({ kept: ledger.quotations.length });
  }

  #read(): Promise<ConversationReading> {
    this.#reading ??= this.#readOnce();
    return this.#reading;
  }

  async #readOnce(): Promise<ConversationReading> {
    const before = await this.#findEarlier();
    const utterances = utterancesOf(this.#exchange.request, {
      endsWithInstruction: this.#kind !== 'provider',
      isSummary: (text) => before !== undefined && sharesLines(text, before.fingerprint, this.#salt()),
    });
    return { utterances, ledger: await keepQuotations(utterances, before?.ledger) };
  }

  /** Stores a ledger once the answer is complete, if the answer is a summary. */
  rememberAfter(reply: Reply): void {
    const isRecognized = this.#kind !== undefined;
    if (!isRecognized && !mayBeSummary(this.#exchange)) return;
    onAnswer(reply, async (answer) => {
      if (isRecognized) {
        if (answer.hasCompaction || (this.#asksForSummary && isSummary(answer))) await this.#remember(answer);
      } else if (!answer.hasToolCalls && answer.text.length >= unrecognizedSummaryCharsMin)
        // Most of these answers are no summaries, and no call should wait for them.
        this.#kit.runInBackground(() => this.#remember(answer));
    });
  }

  async #remember(answer: SummaryAnswer): Promise<void> {
    const { conversation, request } = this.#exchange;
    const isRecognized = this.#kind !== undefined;
    const { ledger, utterances } = await this.#read();
    if (ledger.quotations.length === 0) return;
    const dropped = isRecognized ? droppedMessagesOf(utterances, this.#exchange) : [];
    const stored = { ...ledger, conversation: conversation.name, refs: dropped.map(({ ref }) => ref) };
    await this.#store.put(isRecognized ? conversation.digestAt() : conversation.root, stored, {
      person: this.#person ?? '',
      conversation: conversation.name,
      fingerprint: fingerprintOf(answer.text, this.#salt()),
      isRecognized,
      messages: request.messages.length,
    });
    if (isRecognized)
      this.#kit.runInBackground(() => archiveDropped(dropped, this.#exchange, this.#archiving()));
  }

  /** The ledger of an earlier compaction, whose summary is in the request. */
  #findEarlier(): Promise<LedgerEntry | undefined> {
    return this.#linked === undefined ? this.#findLedger(0) : this.#store.get(this.#linked);
  }

  async #findLedger(from: number): Promise<LedgerEntry | undefined> {
    const { conversation, request } = this.#exchange;
    const texts = startTextsOf(request.messages, from).map(({ text }) => text);
    const lines = lineHashesOf(texts, this.#salt());
    const summary = request.messages[from];
    const start: ContextStart = {
      person: this.#person ?? '',
      conversation: conversation.name,
      lines,
      hasEncryptedSummary: summary !== undefined && isEncryptedSummary(summary),
    };
    if (lines.size === 0 && !start.hasEncryptedSummary) return undefined;
    const found = await this.#store.find(start);
    return found === undefined || this.#continues(found) ? undefined : found;
  }

  /** Whether the request goes on with the conversation that was summarized, in place of its summary. */
  #continues({ key }: LedgerEntry): boolean {
    const { conversation, request } = this.#exchange;
    // Clients may send everything again that the provider's summary replaces.
    if (request.messages.some(hasCompaction)) return false;
    const keys = new Set(key.split(' '));
    return request.messages.some((_, at) => keys.has(conversation.digestAt(at + 1)));
  }

  /** The message that the text is appended to: the user's message with the summary, or else the user's newest that the model reads. */
  #placeAfter({ fingerprint }: LedgerEntry, from: number): number {
    const { messages } = this.#exchange.request;
    const summary = startTextsOf(messages, from).find(({ text }) =>
      sharesLines(text, fingerprint, this.#salt()),
    );
    if (summary !== undefined && messages[summary.at]?.role === 'user') return summary.at;
    const at = newestUserTextIndex(messages);
    if (at > (summary?.at ?? from)) return at;
    return isReadBefore(messages[from]) ? newestUserTextIndex(messages.slice(0, from)) : -1;
  }

  /** Everything that the model can read in the new context. */
  #contextTexts(from: number): readonly string[] {
    const { system = '', messages } = this.#exchange.request;
    const instructions = typeof system === 'string' ? [system] : system.map(({ text }) => text);
    const said = messages.slice(isReadBefore(messages[from]) ? 0 : from).flatMap(({ content }) => {
      if (typeof content === 'string') return [content];
      return content.map((block) => {
        if (block.type === 'tool_use') return JSON.stringify(block.input);
        return block.type === 'tool_result' ? resultText(block.content) : readableTextOf(block);
      });
    });
    return [...instructions, ...said];
  }

  #append(placed: readonly PlacedText<RestorationDecision>[], age: 'fresh' | 'earlier'): Exchange {
    const kit = this.#kit;
    const goesOn = appendTexts(this.#exchange, placed, kit);
    const newest = placed.at(-1)?.decision;
    if (newest !== undefined) {
      this.#linked = newest.ledger;
      const restored = goesOn === this.#exchange ? 0 : newest.restored;
      kit.note({ kept: newest.kept, restored });
    }
    if (goesOn !== this.#exchange) {
      const tokens = placed.reduce((sum, { decision }) => sum + tokensOf(decision.text), 0);
      recordAppendedCost({ fresh: 0, earlier: 0, [age]: tokens }, this.#exchange, kit);
    }
    return goesOn;
  }

  #unchanged(aside: string): Exchange {
    if (!this.#asksForSummary) this.#kit.note({ aside });
    return this.#exchange;
  }

  #archiving() {
    return { kit: this.#kit, person: this.#kit.options.scope === 'account' ? null : this.#person };
  }

  /** Hashes of one end user's texts match no other's. */
  #salt(): string {
    return `${this.#kit.scope}\n${this.#person ?? ''}`;
  }
}

function isSummary({ text, hasToolCalls }: SummaryAnswer): boolean {
  return !hasToolCalls && text.length >= summaryCharsMin;
}

const noMessage: Message = { role: 'user', content: [] };

/** Whether the model also reads what is before a compaction: OpenAI's do, Anthropic's don't. */
function isReadBefore(message = noMessage): boolean {
  return blocksOf(message).some((block) => isCompactionBlock(block) && String(block.type) !== 'compaction');
}

function isEncryptedSummary(message: Message): boolean {
  return hasCompaction(message) && blocksOf(message).every((block) => readableTextOf(block) === '');
}

function sharesLines(text: string, fingerprint: readonly string[], salt: string): boolean {
  return fingerprint.length > 0 && sharesEnough(fingerprint, lineHashesOf([text], salt));
}

function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

function parseDecision(stored: unknown): RestorationDecision | undefined {
  if (!isJsonObject(stored)) return undefined;
  const { text, ledger, kept, restored } = stored;
  const isWhole =
    typeof text === 'string' &&
    typeof ledger === 'string' &&
    typeof kept === 'number' &&
    typeof restored === 'number';
  return isWhole ? { text, ledger, kept, restored } : undefined;
}
