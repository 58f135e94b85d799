import { hash } from 'node:crypto';
import type { Exchange, Kit, Message } from '../../module-api.ts';
import type { StoredLedger } from './ledger-store.ts';
import { archivedItemChars, archivedItemsMax, ledgerLifeSeconds } from './limits.ts';
import type { CompactionBridgeOptions } from './options.ts';
import type { Utterance } from './utterances.ts';

type BridgeKit = Kit<CompactionBridgeOptions>;

export interface DroppedMessages {
  readonly ref: string;
  readonly content: readonly Message[];
}

/** The conversation that a summary replaces, in items for the archive, the newest within the limits. */
export function droppedMessagesOf(
  utterances: readonly Utterance[],
  { conversation }: Exchange,
): readonly DroppedMessages[] {
  const passages: Message[][] = [];
  let chars = archivedItemChars;
  for (const utterance of utterances) {
    const message = messageOf(utterance);
    chars += message.content.length;
    if (chars > archivedItemChars) {
      passages.push([]);
      chars = message.content.length;
    }
    passages.at(-1)?.push(message);
  }
  return passages.slice(-archivedItemsMax).map((content) => ({
    ref: refOf(conversation.name, JSON.stringify(content)),
    content,
  }));
}

/** Texts are all that a passage is found and read by. */
function messageOf({ role, text, call }: Utterance): Message & { readonly content: string } {
  const content = call === undefined ? text : `${call.name}(${JSON.stringify(call.input)})`;
  return {
    role: role === 'assistant' ? 'assistant' : 'user',
    content: role === 'tool' ? `[tool result] ${content}` : content,
  };
}

/** Archives what a summary replaces, under the name of the conversation. */
export async function archiveDropped(
  dropped: readonly DroppedMessages[],
  exchange: Exchange,
  { kit, person }: { readonly kit: BridgeKit; readonly person: string | null },
): Promise<void> {
  const { name: conversation } = exchange.conversation;
  const ttlSeconds = ledgerLifeSeconds;
  await kit.archive.put(dropped.map((one) => ({ ...one, conversation, person, ttlSeconds })));
}

/** Archives the same under the name of the conversation that continues from the summary, where clients have no session. */
export async function archiveForContinuation(
  { refs, conversation: before }: StoredLedger,
  { conversation: { name } }: Exchange,
  { kit, person }: { readonly kit: BridgeKit; readonly person: string | null },
): Promise<void> {
  if (name === before) return;
  for (const ref of refs) {
    const found = await kit.archive.find(ref);
    if (found === undefined) continue;
    const { content } = found;
    await kit.archive.put([
      { ref: refOf(name, ref), content, conversation: name, person, ttlSeconds: ledgerLifeSeconds },
    ]);
  }
}

const refCharacters = 16;

function refOf(conversation: string, content: string): string {
  return hash('sha256', `${conversation}\n${content}`, 'base64url')
    .replace(/[-_]/g, 'x')
    .slice(0, refCharacters);
}
