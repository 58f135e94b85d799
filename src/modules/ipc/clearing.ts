import {
  type ChatRequest,
  type ContextEditing,
  type Exchange,
  isJsonObject,
  type Kit,
  type Message,
  wireTowards,
} from '../../module-api.ts';
import { charsPerToken, clearedUsesMin, furtherCallsShare, savesTimes } from './limits.ts';
import type { IpcOptions } from './options.ts';
import type { Shown } from './showing.ts';
import { blocksOf, charsOf } from './text/blocks.ts';
import { sum } from './view.ts';
import { allowance, type Worth } from './worth.ts';

interface ClearingParts {
  readonly came: Exchange;
  readonly kit: Kit<IpcOptions>;
  readonly worth: Worth;
}

/**
 * What a provider leaves out by itself where nobody else may change a word, inside of a loop in which the model thinks: the
 * results of the oldest calls. How many they are is frozen like a view, so that the provider reads the same from call to call.
 */
export class Clearing {
  readonly #parts: ClearingParts;
  readonly #editing: ContextEditing | undefined;

  constructor(parts: ClearingParts) {
    this.#parts = parts;
    const { came, kit } = parts;
    const editing = kit.catalog.priced(came.target)?.contextEditing;
    const isSpoken = wireTowards(came.target, came.received.wire)?.name === editing?.wire;
    // Who asks for it already knows best.
    this.#editing = isSpoken && came.request.context_management === undefined ? editing : undefined;
  }

  get isOffered(): boolean {
    return this.#editing !== undefined;
  }

  /** As it was decided since the view was. */
  async applied(shown: Shown): Promise<Shown> {
    const { came, kit } = this.#parts;
    if (this.#editing === undefined) return shown;
    const { messages } = came.request;
    for (let at = messages.length; at >= Math.max(1, shown.view?.since ?? 0); at--) {
      if (at < messages.length && messages[at]?.role !== 'assistant') continue;
      const decided = await kit.ledger.recall(placeOf(came, at));
      if (isDecided(decided)) return this.#cleared(shown, decided.uses);
    }
    return shown;
  }

  /** One step further than `current`, where that pays or the window requires it. */
  async further(
    shown: Shown,
    { current, isRequired }: { readonly current: Shown; readonly isRequired: boolean },
  ): Promise<Shown | undefined> {
    const { came, kit } = this.#parts;
    if (this.#editing === undefined) return undefined;
    const uses = usesBefore(shown.messages, kit.options.keep_turns);
    const next = this.#cleared(shown, uses);
    if (uses < clearedUsesMin || next.chars >= current.chars) return undefined;
    if (!isRequired && !this.#pays(current, next)) return undefined;
    const decided = await kit.ledger.once(placeOf(came), () => ({ uses }));
    return isDecided(decided) ? this.#cleared(shown, decided.uses) : undefined;
  }

  #pays(before: Shown, after: Shown): boolean {
    const { came, kit, worth } = this.#parts;
    const { cacheRead = 0, cacheWrite = 0 } = kit.catalog.priced(came.target)?.card ?? {};
    const first = after.messages.findIndex((message, at) => message !== before.messages[at]);
    const tokens = (chars: number) => (chars / charsPerToken) * worth.ratio;
    const written = tokens(sum(after.messages.slice(first).map(charsOf)));
    const answers = came.request.messages.filter(({ role }) => role === 'assistant').length;
    const costs = (written * (cacheWrite - cacheRead)) / 1000;
    const saves = (tokens(before.chars - after.chars) * cacheRead * answers * furtherCallsShare) / 1000;
    return costs <= allowance(worth) && saves >= costs * savesTimes;
  }

  #cleared(shown: Shown, uses: number): Shown {
    if (this.#editing === undefined) return shown;
    const messages = withoutResults(shown.messages, uses);
    const chars = shown.chars - sum(shown.messages.map(charsOf)) + sum(messages.map(charsOf));
    const keep = usesIn(shown.messages) - uses;
    return { ...shown, messages, chars, request: asking(shown.request, this.#editing, { uses, keep }) };
  }
}

function asking(
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

/** About as the provider will read it. */
function withoutResults(messages: readonly Message[], uses: number): readonly Message[] {
  let left = uses;
  return messages.map((message) => {
    const results = blocksOf(message).filter(({ type }) => type === 'tool_result').length;
    if (results === 0 || left <= 0) return message;
    left -= results;
    return withoutResult(message);
  });
}

const known = new WeakMap<Message, Message>();

function withoutResult(message: Message): Message {
  const before = known.get(message);
  if (before !== undefined) return before;
  const content = blocksOf(message).map((block) =>
    block.type === 'tool_result' ? { ...block, content: '[cleared by the provider]' } : block,
  );
  const cleared = { ...message, content };
  known.set(message, cleared);
  return cleared;
}

function usesIn(messages: readonly Message[]): number {
  return sum(messages.map((message) => blocksOf(message).filter(({ type }) => type === 'tool_use').length));
}

/** Calls before the newest turns. */
function usesBefore(messages: readonly Message[], turns: number): number {
  const starts = [...messages.keys()].filter((at) => messages[at]?.role === 'assistant');
  return usesIn(messages.slice(0, starts.at(-turns) ?? 0));
}

function placeOf({ conversation }: Exchange, at?: number): string {
  return `clearing:${conversation.at(at)}`;
}

function isDecided(stored: unknown): stored is { readonly uses: number } {
  return isJsonObject(stored) && typeof stored.uses === 'number';
}
