import {
  blocksOf,
  type ChatRequest,
  type ContextEditing,
  chooseWire,
  type Exchange,
  isJsonObject,
  type Kit,
  type Message,
} from '../../module-api.ts';
import { type ConversationCosts, stepAllowance } from './conversation-costs.ts';
import { charsPerToken, clearedUsesMin, expectedCallsShare, savingsFactorMin } from './limits.ts';
import type { IpcOptions } from './options.ts';
import type { RenderedRequest } from './request-renderer.ts';
import { charsOf } from './text/blocks.ts';
import { sum } from './view.ts';

interface ToolResultClearingParts {
  readonly incoming: Exchange;
  readonly kit: Kit<IpcOptions>;
  readonly costs: ConversationCosts;
}

/**
 * Has the provider clear the oldest tool results. It is the only compaction possible within a thinking loop, where Weir must
 * not edit messages. The number of cleared results is stored like a view, so that the provider's cache stays valid.
 */
export class ToolResultClearing {
  readonly #parts: ToolResultClearingParts;
  readonly #editing: ContextEditing | undefined;

  constructor(parts: ToolResultClearingParts) {
    this.#parts = parts;
    this.#editing = contextEditingOf(parts.incoming, parts.kit);
  }

  /** Applies the latest clearing decision since the view. */
  async applyDecided(renderedRequest: RenderedRequest): Promise<RenderedRequest> {
    const { incoming, kit } = this.#parts;
    if (this.#editing === undefined) return renderedRequest;
    const { messages } = incoming.request;
    const keys: string[] = [];
    for (let at = messages.length; at >= Math.max(1, renderedRequest.view?.since ?? 0); at--)
      if (at === messages.length || messages[at]?.role === 'assistant') keys.push(decisionKey(incoming, at));
    const decided = [...(await kit.decisions.getAll(keys)).values()].find(isClearingDecision);
    return decided === undefined ? renderedRequest : this.#clear(renderedRequest, decided.uses);
  }

  /** Clears more than `current` if that pays off or is required. */
  async clearMore(
    renderedRequest: RenderedRequest,
    { current, isRequired }: { readonly current: RenderedRequest; readonly isRequired: boolean },
  ): Promise<RenderedRequest | undefined> {
    const { incoming, kit } = this.#parts;
    if (this.#editing === undefined) return undefined;
    const uses = countOldToolUses(renderedRequest.messages, kit.options.keep_turns);
    const next = this.#clear(renderedRequest, uses);
    if (uses < clearedUsesMin || next.chars >= current.chars) return undefined;
    if (!isRequired && !this.#pays(current, next)) return undefined;
    const decided = await kit.decisions.decideOnce(decisionKey(incoming), () => ({ uses }));
    return isClearingDecision(decided) ? this.#clear(renderedRequest, decided.uses) : undefined;
  }

  #pays(before: RenderedRequest, after: RenderedRequest): boolean {
    const { incoming, kit, costs } = this.#parts;
    const { cacheRead = 0, cacheWrite = 0 } = kit.catalog.priceOf(incoming.target)?.card ?? {};
    const first = after.messages.findIndex((message, at) => message !== before.messages[at]);
    const tokens = (chars: number) => (chars / charsPerToken) * costs.ratio;
    const written = tokens(sum(after.messages.slice(first).map(charsOf)));
    const answers = incoming.request.messages.filter(({ role }) => role === 'assistant').length;
    const cost = (written * (cacheWrite - cacheRead)) / 1000;
    const savings = (tokens(before.chars - after.chars) * cacheRead * answers * expectedCallsShare) / 1000;
    return cost <= stepAllowance(costs) && savings >= cost * savingsFactorMin;
  }

  #clear(renderedRequest: RenderedRequest, uses: number): RenderedRequest {
    if (this.#editing === undefined) return renderedRequest;
    const messages = clearToolResults(renderedRequest.messages, uses);
    const chars =
      renderedRequest.chars - sum(renderedRequest.messages.map(charsOf)) + sum(messages.map(charsOf));
    const keep = countToolUses(renderedRequest.messages) - uses;
    return {
      ...renderedRequest,
      messages,
      chars,
      clearedChars: renderedRequest.chars - chars,
      request: withClearingEdit(renderedRequest.request, this.#editing, { uses, keep }),
    };
  }
}

/** How the provider can clear tool results; undefined if it can't, or if the client manages the context itself. */
export function contextEditingOf(
  { target, clientRequest, request }: Exchange,
  { catalog }: Pick<Kit<IpcOptions>, 'catalog'>,
): ContextEditing | undefined {
  const editing = catalog.priceOf(target)?.contextEditing;
  const isSpoken = chooseWire(target, clientRequest.wire)?.name === editing?.wire;
  return isSpoken && request.context_management === undefined ? editing : undefined;
}

function withClearingEdit(
  request: ChatRequest,
  { clearsToolUses: type }: ContextEditing,
  { uses, keep }: { readonly uses: number; readonly keep: number },
): ChatRequest {
  const edit = {
    type,
    trigger: { type: 'tool_uses', value: uses },
    keep: { type: 'tool_uses', value: keep },
  };
  return { ...request, context_management: { edits: [edit] } };
}

/** Approximates what the provider will read. */
function clearToolResults(messages: readonly Message[], uses: number): readonly Message[] {
  let left = uses;
  return messages.map((message) => {
    const results = blocksOf(message).filter(({ type }) => type === 'tool_result').length;
    if (results === 0 || left <= 0) return message;
    left -= results;
    return clearToolResult(message);
  });
}

const clearedMessages = new WeakMap<Message, Message>();

function clearToolResult(message: Message): Message {
  const before = clearedMessages.get(message);
  if (before !== undefined) return before;
  const content = blocksOf(message).map((block) =>
    block.type === 'tool_result' ? { ...block, content: '[cleared by the provider]' } : block,
  );
  const cleared = { ...message, content };
  clearedMessages.set(message, cleared);
  return cleared;
}

function countToolUses(messages: readonly Message[]): number {
  return sum(messages.map((message) => blocksOf(message).filter(({ type }) => type === 'tool_use').length));
}

/** Counts the tool uses before the newest turns. */
function countOldToolUses(messages: readonly Message[], turns: number): number {
  const starts = [...messages.keys()].filter((at) => messages[at]?.role === 'assistant');
  return countToolUses(messages.slice(0, starts.at(-turns) ?? 0));
}

function decisionKey({ conversation }: Exchange, at?: number): string {
  return `clearing:${conversation.digestAt(at)}`;
}

function isClearingDecision(stored: unknown): stored is { readonly uses: number } {
  return isJsonObject(stored) && typeof stored.uses === 'number';
}
