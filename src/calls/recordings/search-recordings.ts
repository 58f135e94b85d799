import { limits } from '../limits.ts';
import type { CallRecordings } from './call-recordings.ts';
import { readConversation, textsOf } from './read-conversation.ts';
import type { RecordedCall } from './recorded-call.ts';

interface RecordingMatch {
  readonly id: string;
  readonly model: string;
  /** The text around the first match. */
  readonly excerpt: string;
}

export interface RecordingSearch {
  readonly matches: readonly RecordingMatch[];
  /** How many recordings were read. */
  readonly searched: number;
  /** The last one that was read, if there are older ones. */
  readonly lastId: string | undefined;
}

interface SearchQuery {
  readonly accountId: string;
  readonly text: string;
  readonly beforeId: string | undefined;
}

/** Looks for a text in the recordings of an account, the newest first, up to a number and a size. */
export async function searchRecordings(
  recordings: Pick<CallRecordings, 'page' | 'find'>,
  { accountId, text, beforeId }: SearchQuery,
): Promise<RecordingSearch> {
  const wanted = text.toLowerCase();
  const matches: RecordingMatch[] = [];
  let [searched, bytes, lastId] = [0, 0, beforeId];
  for (;;) {
    const page = await recordings.page({ accountId, beforeId: lastId, limit: limits.recordingsAtOnce });
    for (const { id } of page) {
      if (
        searched >= limits.recordingsSearchedMax ||
        bytes >= limits.recordingBytesSearchedMax ||
        matches.length >= limits.recordingMatchesMax
      )
        return { matches, searched, lastId };
      const recordedCall = await recordings.find(accountId, id);
      searched++;
      lastId = id;
      if (recordedCall === undefined) continue;
      bytes += recordedCall.request.storedBytes + recordedCall.response.storedBytes;
      const excerpt = findIn(recordedCall, wanted);
      if (excerpt !== undefined) matches.push({ id, model: recordedCall.model, excerpt });
    }
    if (page.length < limits.recordingsAtOnce) return { matches, searched, lastId: undefined };
  }
}

function findIn(recordedCall: RecordedCall, wanted: string): string | undefined {
  for (const text of textsOf(readConversation(recordedCall))) {
    const at = text.toLowerCase().indexOf(wanted);
    if (at >= 0) return excerptOf(text, at);
  }
  return undefined;
}

function excerptOf(text: string, at: number): string {
  const from = Math.max(0, at - limits.recordingExcerptCharacters / 4);
  const excerpt = text.slice(from, from + limits.recordingExcerptCharacters).toWellFormed();
  const isCut = from + limits.recordingExcerptCharacters < text.length;
  return `${from > 0 ? '…' : ''}${excerpt}${isCut ? '…' : ''}`;
}
