import {
  type Attempt,
  type Exchange,
  isJsonObject,
  type Kit,
  type NanoUsd,
  nanoOfPico,
  type RateCard,
  type Shelf,
} from '../../module-api.ts';
import { worthWindow } from './limits.ts';

const keptSeconds = 86_400;

/** What leaving tools out was worth in a call: what their tokens would have cost as the others were billed, without the rounds that they were searched in. */
export function savedBy(
  attempts: readonly Attempt[],
  tokens: number,
  { card, name }: { readonly card: RateCard; readonly name: string },
): NanoUsd {
  const own = attempts.filter(({ isAside }) => !isAside);
  const rounds = own.filter(({ askedBy }, at) => at > 0 && askedBy === name);
  const spent = rounds.reduce((sum, { bill }) => sum + (bill?.nanoUsd ?? 0), 0);
  const [first] = own;
  return first === undefined || first.ending?.how === 'failed'
    ? 0 - spent
    : nanoOfPico(Math.round(tokens * rateOf(first, card))) - spent;
}

/** Tools stand before everything else: what is read from a provider's cache begins with them. */
function rateOf({ usage }: Attempt, card: RateCard): number {
  if ((usage.cache_read_input_tokens ?? 0) > 0) return card.cacheRead;
  if ((usage.cache_creation?.ephemeral_1h_input_tokens ?? 0) > 0) return card.cacheWriteHour;
  return (usage.cache_creation_input_tokens ?? 0) > 0 ? card.cacheWrite : card.input;
}

/** Whether it has cost more than it saved in the latest calls of a conversation. */
export async function isLosing(exchange: Exchange, kit: Pick<Kit<unknown>, 'cache'>): Promise<boolean> {
  const latest = await latestIn(kit.cache, exchange);
  return latest.length >= worthWindow.least && latest.reduce((sum, saved) => sum + saved, 0) < 0;
}

/** Calls at the same time may miss each other here: it is a sum over many. */
export async function remember(
  saved: NanoUsd,
  exchange: Exchange,
  kit: Pick<Kit<unknown>, 'cache'>,
): Promise<void> {
  const latest = [...(await latestIn(kit.cache, exchange)), saved].slice(-worthWindow.most);
  await kit.cache.put(keyOf(exchange), Buffer.from(JSON.stringify({ latest })), keptSeconds);
}

async function latestIn(shelf: Shelf, exchange: Exchange): Promise<readonly NanoUsd[]> {
  const bytes = await shelf.get(keyOf(exchange));
  if (bytes === undefined) return [];
  const read: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  const latest = isJsonObject(read) && Array.isArray(read.latest) ? read.latest : [];
  return latest.filter((saved) => typeof saved === 'number');
}

function keyOf({ conversation }: Exchange): string {
  return `worth:${conversation.root}`;
}
