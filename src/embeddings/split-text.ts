/** Where a text is cut into parts of up to `charactersMax`: 0, the cuts, and its length. */
export function cutText(text: string, charactersMax: number): readonly number[] {
  const cuts = [0];
  for (let from = 0; text.length - from > charactersMax; ) {
    from += findCut(text.slice(from, from + charactersMax));
    cuts.push(from);
  }
  if (text.length > 0) cuts.push(text.length);
  return cuts;
}

/** Behind the last paragraph, sentence, line or word in the second half, or else at the end. */
function findCut(part: string): number {
  const half = part.length >> 1;
  for (const end of ends) {
    let cut = -1;
    end.lastIndex = half;
    while (end.test(part)) cut = end.lastIndex;
    if (cut > 0) return cut;
  }
  return isLeadSurrogate(part.charCodeAt(part.length - 1)) ? part.length - 1 : part.length;
}

const ends = [/\n[ \t\r]*\n/g, /[.!?]["')\]]*\s+/g, /\n/g, /\s/g];

function isLeadSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
