/** Limits of custom rules. Each name has its unit. */
export const limits = {
  /** Parsing the worst expression of this length takes a third of a second. */
  patternCharactersMax: 500,
  /** Instructions of the program that an expression becomes; common ones have fewer than a hundred. */
  programSizeMax: 2000,
  /** Cells of an automaton's table, two bytes each: 64 KiB for a rule. */
  tableCellsMax: 32_768,
  /** Steps of one search for each character, a few nanoseconds each. Searches in real texts need one or two. */
  stepsPerCharacterMax: 64,
  /** A search that has gone this far without a match remembers its way, so that the next one stops there. */
  forgottenSteps: 32,
  wordsMax: 500,
  wordCharactersMax: 100,
  replacementCharactersMax: 200,
  /** Faults of a definition in one error. */
  reportedFaultsMax: 20,
  /** Compiled rules in memory, 64 KiB each at most. */
  compiledRulesMax: 500,
  /** The first runs take longer, until the code is compiled. */
  measuredRuns: 5,
  /** The text that the cost of a rule is measured with. */
  measuredCharacters: 10_240,
} as const;
