/** Texts to count, and the factor to the full length. */
export interface TextSample {
  readonly texts: readonly string[];
  readonly factor: number;
}

/** Small enough for an even sample, long enough that cutting hardly changes the count. */
const sliceChars = 4096;

/** Each text costs this many extra characters, so that a million one-letter texts are not free. */
const textCost = 64;

/** All texts if they are short enough together, else slices taken evenly from all of them. */
export function sampleTexts(texts: readonly string[], charsMax: number): TextSample {
  let chars = 0;
  for (const text of texts) chars += text.length;
  const cost = chars + texts.length * textCost;
  if (cost <= charsMax) return { texts, factor: 1 };
  const share = charsMax / cost;
  const taken: string[] = [];
  let takenChars = 0;
  let due = 0;
  for (const text of texts) {
    for (let at = 0; at < text.length; at += sliceChars) {
      const slice = text.slice(at, at + sliceChars);
      const size = slice.length + textCost;
      due += size * share;
      if (due < size) continue;
      due -= size;
      taken.push(slice);
      takenChars += slice.length;
    }
  }
  return { texts: taken, factor: takenChars === 0 ? 1 : chars / takenChars };
}
