/** Names of dropped fields for a header: limits length and number, since clients may send anything. */
export function sanitizeFieldNames(dropped: Iterable<string>): readonly string[] {
  const names = new Set<string>();
  for (const name of dropped) names.add(name.slice(0, nameCharsMax).replace(/[^\w.:[\]/-]/g, '_'));
  return [...names].slice(0, namesMax);
}

/** Longer than any real field path. */
const nameCharsMax = 80;
/** More than in any of thousands of recorded requests; a header must stay small. */
const namesMax = 40;
