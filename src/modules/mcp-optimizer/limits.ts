/** Fewer tokens of tools are not worth two tools of our own and a changed request. */
export const toolTokensMin = 1000;
/** What is left out must be worth more than what is added. */
export const savedTokensMin = 500;
/** More tools than any client offers; a list of their names still fits into the ledger. */
export const toolsMax = 2500;
/** Tools that one search brings back. */
export const findToolsMost = 64;
/** How long a call waits for vectors, all together. */
export const vectorsWaitMs = 300;
/** Making vectors of tools after a call; hundreds of them take seconds. */
export const vectorsMakeMs = 60_000;
/** Texts in one question: others get their turn in between. */
export const textsAtOnce = 64;
/** Lists of tools that are ready to be chosen from, a megabyte each for 500 tools; most clients offer the same one again and again. */
export const listsKept = 20;
/** Tools of which all is known, four kilobytes each. */
export const toolsKept = 3000;
/** Of what a search finds, so many are shown whole, and the others in a line each. */
export const wholeToolsMost = 8;
/** Calls of a conversation over which the module has to be worth it, and how many it takes to tell. */
export const worthWindow = { most: 20, least: 5 };
