import type { Exchange } from '../exchange.ts';
import type { Message } from '../message.ts';
import type { Kit } from '../module.ts';

/** A decision of a module about a message of the user: the text that it appends, and what else it has to remember. */
interface AppendedText {
  /** Empty if nothing is appended. */
  readonly text: string;
}

export interface PlacedText<Decision extends AppendedText = AppendedText> {
  /** The index of the message. */
  readonly at: number;
  readonly decision: Decision;
}

/** Whether the message may contain text written by the user. */
function mayHaveUserText({ role, content }: Message): boolean {
  if (role !== 'user') return false;
  return typeof content === 'string' || content.some(({ type }) => type === 'text');
}

/** The index of the last message with user text in the newest turn; -1 if the turn has none. */
export function newestUserTextIndex(messages: readonly Message[]): number {
  const newest = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  return messages.findLastIndex((message, at) => at >= newest && mayHaveUserText(message));
}

/** The module's decisions about the messages of this conversation, made in earlier calls. */
export async function recallAppendedTexts<Decision extends AppendedText>(
  { request: { messages }, conversation }: Exchange,
  { decisions }: Pick<Kit<unknown>, 'decisions'>,
  parse: (stored: unknown) => Decision | undefined,
): Promise<readonly PlacedText<Decision>[]> {
  const places = new Map<string, number>();
  for (const [at, message] of messages.entries())
    if (mayHaveUserText(message)) places.set(conversation.digestAt(at + 1), at);
  const stored = await decisions.getAll([...places.keys()]);
  return [...stored].flatMap(([place, value]) => {
    const decision = parse(value);
    return decision === undefined ? [] : [{ at: places.get(place) ?? 0, decision }];
  });
}

/** Stores a decision about a message, or returns the one that another call has stored. */
export async function decideAppendedText<Decision extends AppendedText>(
  { conversation }: Exchange,
  { decisions }: Pick<Kit<unknown>, 'decisions'>,
  { at, decision, parse }: PlacedText<Decision> & { parse(stored: unknown): Decision | undefined },
): Promise<Decision | undefined> {
  return parse(await decisions.decideOnce(conversation.digestAt(at + 1), () => decision));
}

/**
 * The exchange with the texts appended to their messages; the exchange itself if there are none, or if they would break a prefix that the
 * provider has cached.
 */
export function appendTexts(
  exchange: Exchange,
  placed: readonly PlacedText[],
  kit: Pick<Kit<unknown>, 'prefix' | 'note'>,
): Exchange {
  if (placed.every(({ decision }) => decision.text === '')) return exchange;
  const { request } = exchange;
  const texts = new Map(placed.map(({ at, decision }) => [at, decision.text]));
  const messages = request.messages.map((message, at) => appendText(message, texts.get(at) ?? ''));
  const edited = { ...request, messages };
  if (!kit.prefix.isPreserved(edited) && kit.prefix.isPreserved(request)) {
    kit.note({ aside: 'prefix' });
    return exchange;
  }
  return exchange.with({ request: edited });
}

/** A cache marker of another module turns a text into a block: the result must be the same text with or without one. */
export function appendText(message: Message, text: string): Message {
  const { content } = message;
  if (text === '') return message;
  if (typeof content === 'string') return { ...message, content: `${content}\n\n${text}` };
  const [only] = content;
  const isText = content.length === 1 && only?.type === 'text';
  const extended = isText
    ? [{ ...only, text: `${only.text}\n\n${text}` }]
    : [...content, { type: 'text' as const, text }];
  return { ...message, content: extended };
}
