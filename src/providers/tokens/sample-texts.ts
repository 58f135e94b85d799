/** Texts to count, and how much longer all of it is. */
export interface TextSample {
  readonly texts: readonly string[];
  readonly factor: number;
}

/** Small enough that a sample of many is an even one, long enough that cutting them adds next to nothing to a count. */
const sliceChars = 4096;

/** A text by itself costs as much as this many characters more, so that a million of one letter aren't free. */
const textCost = 64;

/** All of the texts where they are short enough together, else slices taken evenly from all of them. */
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
