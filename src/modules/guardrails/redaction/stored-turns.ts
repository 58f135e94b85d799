import { type Exchange, type Kit, providerConversationId, type Reply } from '../../../module-api.ts';
import { limits } from '../limits.ts';

type TurnKit = Pick<Kit<unknown>, 'cache' | 'runInBackground'>;

/**
 * The values behind an earlier answer that the request refers to by its id: the provider has the earlier turns, and the
 * conversation has no other name.
 */
export async function inheritedValues(exchange: Exchange, { cache }: TurnKit): Promise<string | undefined> {
  const previous = providerConversationId(exchange);
  const bytes = previous === undefined ? undefined : await cache.get(keyOf(previous)).catch(() => undefined);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
}

/** Keeps the values for calls that refer to this answer. */
export function keepValues(reply: Reply, values: string, kit: TurnKit): void {
  reply.tap((event) => {
    if (event.type !== 'message_start') return;
    const { id } = event.message;
    kit.runInBackground(() => kit.cache.put(keyOf(id), Buffer.from(values), limits.storedTurnSeconds));
  });
}

function keyOf(id: string): string {
  return `values of ${id}`;
}
