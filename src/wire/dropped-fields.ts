/** What was left out, fit for a header: names come from clients, who may write anything and any number of them. */
export function sanitizeFieldNames(dropped: Iterable<string>): readonly string[] {
  const names = new Set<string>();
  for (const name of dropped) names.add(name.slice(0, nameCharsMax).replace(/[^\w.:[\]/-]/g, '_'));
  return [...names].slice(0, namesMax);
}

/** Longer than any real field with its place. */
const nameCharsMax = 80;
/** More than any request in thousands of recorded ones had; a header must stay small. */
const namesMax = 40;
