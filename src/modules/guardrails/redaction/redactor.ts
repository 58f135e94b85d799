import {
  type ChatRequest,
  type Exchange,
  type Kit,
  type Message,
  mapTexts,
  type TextPlace,
} from '../../../module-api.ts';
import type { Finding } from '../finding.ts';
import { limits } from '../limits.ts';
import { mergeFindings } from '../merge-findings.ts';
import { namedText } from '../named-text.ts';
import type { GuardrailsOptions } from '../options.ts';
import type { Policy } from '../policy.ts';
import type { ScannedRequest, ScannedText } from '../scanned-request.ts';
import type { TextMemory } from '../text-memory.ts';
import { KnownValueSearch } from './known-value-search.ts';
import { inheritedValues } from './stored-turns.ts';
import { type KnownValue, type SensitiveValue, Vault } from './vault.ts';

/** A request without the values that must not leave. */
export interface RedactedRequest {
  readonly exchange: Exchange;
  /** The values behind the placeholders that the model may use. */
  readonly values: readonly KnownValue[];
  /** All values of the conversation, for later calls that refer to the answer; undefined if there are none. */
  packValues(): string | undefined;
  /** Whether later calls know the values. */
  readonly isStored: boolean;
}

/** The redacted form of a text, as long as the conversation has this many values for it. */
export interface RedactedText {
  readonly valueCount: number;
  readonly text: string;
  /** The values that were replaced. */
  readonly values: readonly string[];
}

interface RedactionParts {
  readonly kit: Kit<GuardrailsOptions>;
  readonly policy: Policy;
  readonly memory: TextMemory<RedactedText>;
  readonly messages: WeakMap<Message, RedactedMessage>;
}

/** The redacted form of a message, the same object in all calls of its conversation. */
export interface RedactedMessage {
  /** Identifies policy and conversation. */
  readonly owner: string;
  readonly valueCount: number;
  /** What the models found in it may be known later. */
  readonly findingCount: number;
  /** None if only a thought is left that can't be sent. */
  readonly redacted: readonly Message[];
  readonly values: readonly string[];
}

/** Replaces what must be redacted by placeholders. */
export async function redactRequest(
  exchange: Exchange,
  scanned: ScannedRequest,
  { policy, memory, messages, kit }: RedactionParts,
): Promise<RedactedRequest> {
  const found = foundValues(scanned.texts, policy, (index) => exchange.conversation.digestAt(index));
  // A conversation that begins has no values of earlier calls.
  const hasHistory = exchange.request.messages.some(({ role }) => role === 'assistant');
  if (found.length === 0 && !hasHistory && !scanned.refersToStored && !hasReplacements(scanned, policy))
    return { exchange, values: [], packValues: () => undefined, isStored: true };
  const vault = await Vault.open(kit.decisions, await inheritedValues(exchange, kit));
  await vault.add(found, takenIn(scanned.texts));
  const owner = `${policy.id} ${kit.scope} ${exchange.conversation.root}`;
  const texts = new TextRedaction(exchange, { vault, policy, memory, owner });
  const request = redactTexts(exchange.request, messages, { owner, texts, scanned });
  return {
    exchange: request === exchange.request ? exchange : exchange.with({ request }),
    values: scanned.refersToStored ? vault.values : vault.values.filter(({ value }) => texts.used.has(value)),
    packValues: () => (vault.values.length === 0 ? undefined : vault.pack()),
    isStored: vault.isStored,
  };
}

interface TextRedactionContext {
  readonly owner: string;
  readonly texts: TextRedaction;
  readonly scanned: ScannedRequest;
}

/** Message by message, since most are known from the last call. */
function redactTexts(
  request: ChatRequest,
  known: WeakMap<Message, RedactedMessage>,
  { owner, texts, scanned }: TextRedactionContext,
): ChatRequest {
  const findingCounts = new Map<number, number>();
  for (const { messageIndex = -1, findings } of scanned.texts)
    findingCounts.set(messageIndex, (findingCounts.get(messageIndex) ?? 0) + findings.length);
  const redactPart = (part: ChatRequest, messageIndex: number | undefined) =>
    mapTexts(part, (text, place) => {
      const at = messageIndex === undefined ? place : { ...place, messageIndex };
      return texts.redact(text, at, scanned.findingsIn(text, at));
    });
  const messages = request.messages.map((message, index) => {
    const findingCount = findingCounts.get(index) ?? 0;
    const valueCount = texts.valueCountAt(index);
    let entry = known.get(message);
    if (entry?.owner !== owner || entry.valueCount !== valueCount || entry.findingCount !== findingCount) {
      const used = texts.startPart();
      const { messages: redacted } = redactPart({ model: request.model, messages: [message] }, index);
      entry = { owner, valueCount, findingCount, redacted, values: [...used] };
      known.set(message, entry);
    }
    for (const value of entry.values) texts.used.add(value);
    return entry.redacted;
  });
  const rest = redactPart({ ...request, messages: [] }, undefined);
  const isUnchanged = messages.every(([first], index) => first === request.messages[index]);
  return withRedacted(request, rest, isUnchanged ? request.messages : messages.flat());
}

/** The redacted fields; the same request if nothing has changed. */
function withRedacted(request: ChatRequest, rest: ChatRequest, messages: readonly Message[]): ChatRequest {
  const changed = Object.entries(rest).filter(
    ([name, value]) => name !== 'messages' && value !== Reflect.get(request, name),
  );
  if (changed.length === 0 && messages === request.messages) return request;
  return { ...request, ...Object.fromEntries(changed), messages };
}

/** Values to be redacted that a placeholder stands for, in the order of the texts. */
export function foundValues(
  texts: readonly ScannedText[],
  policy: Policy,
  sinceOf: (messageIndex: number) => string,
): readonly SensitiveValue[] {
  const found: SensitiveValue[] = [];
  for (const { text, findings, messageIndex } of texts)
    for (const { start, end, kind } of findings) {
      if (policy.actionFor(kind) !== 'redact' || policy.replacementFor(kind) !== undefined) continue;
      const value = text.slice(start, end);
      const isWeak = weakKinds.has(kind) || value.length < limits.plainValueCharactersMin;
      found.push({
        kind,
        value,
        before: isWeak ? text.slice(Math.max(0, start - limits.contextCharacters), start) : '',
        since: messageIndex === undefined ? '' : sinceOf(messageIndex),
      });
    }
  return found;
}

/** Common words and numbers, which mean the same person only where they were found. */
const weakKinds: ReadonlySet<string> = new Set([
  'AGE',
  'DATE',
  'NATIONALITY',
  'LOCATION',
  'ORGANIZATION',
  'USERNAME',
]);

export function hasReplacements({ texts }: Pick<ScannedRequest, 'texts'>, policy: Policy): boolean {
  return texts.some(({ findings }) => findings.some(({ kind }) => policy.replacementFor(kind) !== undefined));
}

/** Placeholders that the texts already contain, as the words of somebody. */
export function takenIn(texts: readonly ScannedText[]): (placeholder: string) => boolean {
  let taken: Set<string> | undefined;
  return (placeholder) => {
    taken ??= new Set(
      texts.flatMap(({ text }) => (text.includes('<') ? (text.match(/<[A-Z0-9_]+_\d+>/g) ?? []) : [])),
    );
    return taken.has(placeholder);
  };
}

interface TextRedactionParts {
  readonly vault: Vault;
  readonly policy: Policy;
  readonly memory: TextMemory<RedactedText>;
  /** Identifies policy and conversation. */
  readonly owner: string;
}

/** The redaction of the texts of one request. */
class TextRedaction {
  /** Values that were replaced. */
  readonly used = new Set<string>();
  #usedInPart = new Set<string>();
  readonly #parts: TextRedactionParts;
  readonly #search: KnownValueSearch;
  /** The index of the message from which on a value is known; -1 for all texts. */
  readonly #knownFrom = new Map<KnownValue, number>();
  /** The same indexes, in order. */
  readonly #starts: readonly number[];

  constructor(exchange: Exchange, parts: TextRedactionParts) {
    const { vault, policy } = parts;
    this.#parts = parts;
    const values = vault.values.filter(({ kind }) => policy.actionFor(kind) === 'redact');
    this.#search = new KnownValueSearch(values);
    const indexes = new Map<string, number>();
    if (values.length > 0)
      for (const index of exchange.request.messages.keys())
        indexes.set(exchange.conversation.digestAt(index), index);
    // If earlier messages have changed, the prefix that the provider knows has changed, too.
    for (const known of values) this.#knownFrom.set(known, indexes.get(known.since) ?? -1);
    this.#starts = [...this.#knownFrom.values()].toSorted((one, other) => one - other);
  }

  /** The number of values that are known in the message at this index. */
  valueCountAt(messageIndex: number): number {
    return countUpTo(this.#starts, messageIndex);
  }

  /** The values that are replaced from now on. */
  startPart(): ReadonlySet<string> {
    this.#usedInPart = new Set();
    return this.#usedInPart;
  }

  /** A value replaces no text before the message that it was first found in: the provider has those texts in its cache. */
  redact(text: string, place: TextPlace, findings: readonly Finding[]): string {
    const { memory, owner } = this.#parts;
    const { messageIndex = -1 } = place;
    const named = namedText(text, place);
    const valueCount = this.valueCountAt(messageIndex);
    const isRemembered = named.length >= limits.rememberedCharactersMin;
    let redacted = isRemembered ? memory.get(owner, named) : undefined;
    if (redacted?.valueCount !== valueCount) {
      redacted = { valueCount, ...this.#redact(text, messageIndex, findings) };
      if (isRemembered) memory.set(owner, named, redacted);
    }
    for (const value of redacted.values) {
      this.used.add(value);
      this.#usedInPart.add(value);
    }
    return redacted.text;
  }

  #redact(
    text: string,
    messageIndex: number,
    findings: readonly Finding[],
  ): Omit<RedactedText, 'valueCount'> {
    const { policy } = this.#parts;
    const redacted = mergeFindings(
      findings.filter(({ kind }) => policy.actionFor(kind) === 'redact'),
      this.#search.find(text, (value) => (this.#knownFrom.get(value) ?? -1) <= messageIndex),
    );
    return replaceFindings(text, redacted, this.#parts);
  }
}

/** The text with its findings replaced, and the values that a placeholder stands for. */
export function replaceFindings(
  text: string,
  findings: readonly Finding[],
  { policy, vault }: Pick<TextRedactionParts, 'policy' | 'vault'>,
): Omit<RedactedText, 'valueCount'> {
  if (findings.length === 0) return { text, values: none };
  const values: string[] = [];
  let replaced = '';
  let at = 0;
  for (const { start, end, kind } of findings) {
    const value = text.slice(start, end);
    const replacement = policy.replacementFor(kind);
    if (replacement === undefined) values.push(value);
    replaced += text.slice(at, start) + (replacement ?? vault.placeholderOf(kind, value));
    at = end;
  }
  return { text: replaced + text.slice(at), values };
}

const none: readonly string[] = [];

/** The number of values up to `limit` in an ordered list. */
function countUpTo(ordered: readonly number[], limit: number): number {
  let [from, to] = [0, ordered.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ordered[middle] ?? 0) <= limit) from = middle + 1;
    else to = middle;
  }
  return from;
}
