import type { Entity } from './join-words.ts';

/**
 * Removes what is no part of the value: punctuation and spaces at the edges, a possessive “’s”, and the title before a name.
 * Undefined if nothing is left, or only one letter.
 */
export function trimEntity(text: string, { start, end, label }: Entity): Entity | undefined {
  let value = text.slice(start, end);
  const cutEnd = (pattern: RegExp) => {
    value = value.slice(0, value.length - (pattern.exec(value)?.[0].length ?? 0));
  };
  cutEnd(label === 'PHONE' ? edgeSpace : endingMarks);
  if (label === 'PERSON' || label === 'ORGANIZATION' || label === 'LOCATION') cutEnd(possessive);
  const from = start + (leadingMarks.exec(value)?.[0].length ?? 0);
  value = value.slice(from - start);
  const title = label === 'PERSON' ? (titles.exec(value)?.[0].length ?? 0) : 0;
  value = value.slice(title);
  const needed = label === 'AGE' ? /\d|\p{L}{2}/u : /[\p{L}\d].*[\p{L}\d]/su;
  return needed.test(value) ? { start: from + title, end: from + title + value.length, label } : undefined;
}

const edgeSpace = /\s{1,100}$/;
const endingMarks = /[\s,;:!?"'“”‘’«»)\]}>|*_`-]{1,100}$/;
const leadingMarks = /^[\s,;:.!?"'“”‘’«»([{<|*_`#-]{1,100}/;
const possessive = /['’]s?$/;
const titles =
  /^(?:(?:mr|mrs|ms|miss|mx|dr|prof|professor|sir|madam|herr|frau|fr|señor|señora|sr|sra|monsieur|madame|mme|dhr|mevr)\b\.?\s*){1,3}/iu;
