import type { Exchange } from '../../module-api.ts';
import { limits } from './limits.ts';
import { charactersOf, type IndexedPassage, PassageIndexer } from './passages.ts';

/** The passages of messages that the client sent and that outer modules left out or changed, in order. */
export async function omittedPassages({
  isUnmodified,
  clientRequest,
  request,
}: Exchange): Promise<readonly IndexedPassage[]> {
  if (isUnmodified) return [];
  const sent = new Set(request.messages);
  const { messages } = clientRequest.request;
  const indexer = new PassageIndexer();
  const found: (readonly IndexedPassage[])[] = [];
  let left = limits.searchedCharactersMax;
  for (let at = messages.length - 1; at >= 0 && left > 0; at--) {
    const message = messages[at];
    if (message === undefined || sent.has(message)) continue;
    const passages = await indexer.index(message, at + 1);
    left -= charactersOf(passages);
    found.push(passages);
  }
  return found.reverse().flat();
}
