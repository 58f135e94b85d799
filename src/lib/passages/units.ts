/** A range of a text; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text up to this length is one unit. */
const unitChars = 600;
/** Longer texts are split into units of about this length. */
const pieceChars = 300;

/** A note in brackets at the end of a text, such as an attachment or an editor's name. */
const trailingNote = /\s(\[[^[\]]{20,}\])\s*$/;
const sentenceEnd = /[.!?](?= )|。/g;
/** A shorter sentence, paragraph or code block is joined with the next: it may be an abbreviation or an item number. */
const sentenceChars = 40;
const fence = /^\s*(```|~~~)/;

/** Splits a text into units that are kept or dropped whole: a short text, or sentences, items and code blocks. */
export function splitIntoUnits(text: string): readonly Span[] {
  const trimmed = trimSpan(text, { start: 0, end: text.length });
  if (trimmed === undefined) return [];
  if (trimmed.end - trimmed.start <= unitChars) return splitOffNote(text, trimmed);
  return groupLines(text, trimmed).flatMap((line) => splitSentences(text, line));
}

function splitOffNote(text: string, whole: Span): readonly Span[] {
  if (text.charCodeAt(whole.end - 1) !== 93) return [whole];
  const note = trailingNote.exec(text);
  if (note?.[1] === undefined || note.index <= whole.start) return [whole];
  return [
    { start: whole.start, end: note.index },
    { start: text.indexOf(note[1], note.index), end: whole.end },
  ];
}

/** Groups lines: a code block is one group, and short lines and short groups are joined. */
function groupLines(text: string, { start, end }: Span): readonly Span[] {
  const spans: Span[] = [];
  let from = start;
  let inFence = false;
  for (let at = start; at < end; ) {
    const stop = text.indexOf('\n', at);
    const lineEnd = stop < 0 || stop > end ? end : stop;
    const isFence = text.charCodeAt(at) <= 126 && fence.test(text.slice(at, Math.min(lineEnd, at + 12)));
    const isLong = lineEnd - from >= pieceChars;
    const isShort = lineEnd - from < sentenceChars;
    const isEmpty = lineEnd === at;
    if (isFence && !inFence && at - from >= sentenceChars) {
      spans.push({ start: from, end: at });
      from = at;
    }
    if (isFence) inFence = !inFence;
    const isGroupEnd = isLong || (!isShort && (isEmpty || isFence)) || lineEnd >= end;
    if (inFence ? lineEnd - from < unitChars * 2 : !isGroupEnd) {
      at = lineEnd + 1;
      continue;
    }
    spans.push({ start: from, end: lineEnd });
    from = lineEnd + 1;
    at = from;
  }
  if (from < end) spans.push({ start: from, end });
  return spans;
}

function splitSentences(text: string, line: Span): readonly Span[] {
  const whole = trimSpan(text, line);
  if (whole === undefined) return [];
  if (whole.end - whole.start <= pieceChars || text.startsWith('```', whole.start)) return [whole];
  const spans: Span[] = [];
  const passage = text.slice(whole.start, whole.end);
  let from = whole.start;
  let stopsAt = whole.start;
  while (from < whole.end) {
    // Found once per sentence: the end of a long sentence serves many pieces.
    if (stopsAt < whole.end && stopsAt - from < sentenceChars) {
      sentenceEnd.lastIndex = from - whole.start + sentenceChars - 1;
      const stop = sentenceEnd.exec(passage);
      stopsAt = stop === null ? whole.end : whole.start + stop.index + 1;
    }
    // A sentence without an end is cut at a fixed length.
    const end = stopsAt - from > unitChars * 2 ? from + unitChars : stopsAt;
    const span = trimSpan(text, { start: from, end });
    if (span !== undefined) spans.push(span);
    from = end;
  }
  return spans;
}

function trimSpan(text: string, { start, end }: Span): Span | undefined {
  let [from, to] = [start, end];
  while (from < to && text.charCodeAt(from) <= 32) from++;
  while (to > from && text.charCodeAt(to - 1) <= 32) to--;
  return from === to ? undefined : { start: from, end: to };
}
