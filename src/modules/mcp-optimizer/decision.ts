import { digestOfTools, type Exchange, isJsonObject, type Kit, type Tool } from '../../module-api.ts';

/** What was decided about the tools of a conversation. */
export interface Decision {
  /** The client's tools that it is about. */
  readonly tools: string;
  /** Names of those that are left out. */
  readonly left: readonly string[];
  readonly way: Way;
}

/** How the model gets at what is left out: by tools of ours, by its provider's search, or not at all. */
export type Way = 'find' | 'defer' | 'none';

/** What was decided last in this conversation, as far as it is the same one. */
export async function latestDecision(
  exchange: Exchange,
  kit: Pick<Kit<unknown>, 'ledger'>,
): Promise<Decision | undefined> {
  const { conversation, request } = exchange;
  const { messages } = request;
  for (let at = messages.length; at > 0; at--) {
    if (at < messages.length && messages[at]?.role !== 'assistant') continue;
    const decided = await kit.ledger.recall(placeOf(conversation.at(at)));
    if (isDecision(decided)) return decided;
  }
  return undefined;
}

/** Of two who decide at the same time, the first is right. */
export async function decidedHere(
  exchange: Exchange,
  kit: Pick<Kit<unknown>, 'ledger'>,
  decision: Decision,
): Promise<Decision | undefined> {
  const decided = await kit.ledger.once(placeOf(exchange.conversation.at()), () => decision);
  return isDecision(decided) ? decided : undefined;
}

export function isAbout({ tools }: Decision, offered: readonly Tool[]): boolean {
  return tools === digestOfTools({ tools: offered });
}

function placeOf(place: string): string {
  return `tools:${place}`;
}

function isDecision(decided: unknown): decided is Decision {
  return (
    isJsonObject(decided) &&
    typeof decided.tools === 'string' &&
    Array.isArray(decided.left) &&
    typeof decided.way === 'string'
  );
}
