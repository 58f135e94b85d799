import type { ChatRequest, Exchange, Kit, Message } from '../../module-api.ts';
import type { IdentifiedCall, Recollection } from './call-memory.ts';
import type { CallRecord } from './call-record.ts';
import { cachePricesOf } from './lifetime.ts';
import { ResultMinifier } from './minify/minify-results.ts';
import type { PromptOptimizerOptions } from './options.ts';
import { needsMarkers } from './plan-markers.ts';
import { sharedCharsOf, sharedLinesOf, splitShared } from './shared-instructions.ts';
import { appendChange, isSameList, keepSystem, restoreOrder } from './steady-head.ts';

/** What to repeat in later calls of the conversation. */
type ContentDecisions = Pick<
  CallRecord,
  'sentValues' | 'knownValues' | 'changes' | 'minified' | 'sharedChars'
>;

/** A request with its content arranged. */
export interface ArrangedContent {
  readonly request: ChatRequest;
  readonly decisions: ContentDecisions;
  readonly isReordered: boolean;
  readonly hasKeptSystem: boolean;
  readonly omittedChars: { readonly fresh: number; readonly earlier: number };
}

/** The content of a request as its client sent it. */
export function unarranged({ request }: Exchange, { system }: IdentifiedCall): ArrangedContent {
  const values = [...(system.values ?? [])];
  return {
    request,
    decisions: { sentValues: values, knownValues: values, changes: [], minified: [], sharedChars: 0 },
    isReordered: false,
    hasKeptSystem: false,
    omittedChars: { fresh: 0, earlier: 0 },
  };
}

/** Repeats what was done in earlier calls of the conversation, and arranges what is new. */
export function arrangeContent(
  exchange: Exchange,
  call: IdentifiedCall,
  recollection: Recollection,
  kit: Pick<Kit<PromptOptimizerOptions>, 'options' | 'prefix' | 'catalog'>,
): ArrangedContent {
  const { request } = exchange;
  const { last, same, order } = recollection;
  const { stable, minify } = kit.options;
  const isStable = stable === 'auto' && hasCheaperReads(exchange, kit);
  const plain = unarranged(exchange, call);
  const tools = isStable ? restoreOrder(request, order) : undefined;
  const newest = newestUserIndex(request.messages);
  const kept = isStable && newest >= 0 ? keepSystem(exchange, call.system, last) : undefined;
  const values = plain.decisions.knownValues;
  const isKnown = last !== undefined && (kept !== undefined || hasValues(last, values));
  const earlier = isKnown ? last.changes : [];
  const changes: ContentDecisions['changes'] =
    kept === undefined || kept.change === '' ? earlier : [...earlier, [newest, kept.change]];
  const minified = minifyMessages(
    request.messages,
    minify === 'off' ? [] : minifiedIndexes(exchange, last, kit),
  );
  const messages = withChanges(minified.messages, changes);
  const system = kept?.system ?? request.system;
  const sharedChars = isStable && needsMarkers(exchange) ? chooseSharedChars(call, recollection, system) : 0;
  const split = splitShared(system, sharedChars);
  // Two conversations that begin alike, with other values: what either was sent first can't be told.
  const isAmbiguous = same !== undefined && !isSameList(same.sentValues, values);
  return {
    request: {
      ...request,
      ...(tools !== undefined && { tools }),
      ...(system !== undefined && { system: split ?? system }),
      ...(messages !== request.messages && { messages }),
    },
    decisions: {
      sentValues: isAmbiguous ? [] : isKnown ? last.sentValues : values,
      knownValues: values,
      changes,
      minified: minified.indexes,
      sharedChars: split === undefined ? 0 : sharedChars,
    },
    isReordered: tools !== undefined,
    hasKeptSystem: kept !== undefined,
    omittedChars: minified.omittedChars,
  };
}

/** Decided by the first call of a conversation. */
function chooseSharedChars(
  { system: summary, hasAnswer }: IdentifiedCall,
  { last, shared }: Recollection,
  system: ChatRequest['system'],
): number {
  if (last !== undefined) return last.sharedChars;
  return hasAnswer || shared === undefined ? 0 : sharedCharsOf(system, sharedLinesOf(summary, shared));
}

/** Whether the target's cache saves anything. */
function hasCheaperReads({ target }: Exchange, { catalog }: Pick<Kit<unknown>, 'catalog'>): boolean {
  const pricing = catalog.priceOf(target);
  return pricing !== undefined && cachePricesOf(pricing.card) !== undefined;
}

/** Whether the values of the instructions are those first sent. */
function hasValues({ sentValues, knownValues }: CallRecord, values: readonly string[]): boolean {
  return isSameList(values, sentValues) && isSameList(values, knownValues);
}

/** The messages that earlier calls minified, and those of the newest turn; all of them if the provider has cached none. */
function minifiedIndexes(
  { request: { messages } }: Exchange,
  last: CallRecord | undefined,
  { prefix }: Pick<Kit<unknown>, 'prefix'>,
): readonly number[] {
  const newest = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const isFree = last === undefined && prefix.isBreak && !prefix.isThinking;
  const all = [...messages.keys()];
  return isFree ? all : [...(last?.minified ?? []), ...all.slice(newest)];
}

interface MinifiedMessages {
  readonly messages: readonly Message[];
  /** Those that something was omitted from. */
  readonly indexes: number[];
  readonly omittedChars: ArrangedContent['omittedChars'];
}

function minifyMessages(messages: readonly Message[], indexes: readonly number[]): MinifiedMessages {
  const minifier = new ResultMinifier(messages);
  const newest = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const minified = new Map<number, Message>();
  const omittedChars = { fresh: 0, earlier: 0 };
  for (const at of indexes) {
    const result = minifier.minify(at);
    if (result === undefined) continue;
    minified.set(at, result.message);
    omittedChars[at < newest ? 'earlier' : 'fresh'] += result.omittedChars;
  }
  if (minified.size === 0) return { messages, indexes: [], omittedChars };
  return {
    messages: messages.map((message, at) => minified.get(at) ?? message),
    indexes: [...minified.keys()],
    omittedChars,
  };
}

function withChanges(messages: readonly Message[], changes: ContentDecisions['changes']): readonly Message[] {
  if (changes.length === 0) return messages;
  const texts = new Map(changes);
  return messages.map((message, at) => {
    const text = texts.get(at);
    return text === undefined ? message : appendChange(message, text);
  });
}

/** The last message of the user in the newest turn; -1 if there is none. */
function newestUserIndex(messages: readonly Message[]): number {
  const newest = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const at = messages.findLastIndex(({ role }) => role === 'user');
  return at < newest ? -1 : at;
}
