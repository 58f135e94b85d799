const clausesMax = 8;
const wordsMin = 3;

/** The clauses of a longer request, which may need different tools; empty for a single clause. */
export function splitClauses(text: string): readonly string[] {
  const clauses = text
    .split(clauseBoundary)
    .map((clause) => clause.trim())
    .filter((clause) => clause.split(/\s+/, wordsMin).length >= wordsMin);
  return clauses.length < 2 ? [] : clauses.slice(0, clausesMax);
}

const clauseBoundary = /(?<=[.!?;])\s+|\n+|,? (?:and )?then |,? and (?:also )?| as well as /i;
