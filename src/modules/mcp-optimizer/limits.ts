/** Fewer tokens of tools are not worth two tools of our own and a changed request. */
export const toolTokensMin = 1000;
/** What is left out must be worth more than what is added. */
export const savedTokensMin = 500;
/** More tools than any client offers, and than providers take. */
export const toolsMax = 5000;
/** How long a call waits for vectors, all together. */
export const embeddingWaitMs = 300;
/** Making vectors of a list after a call; hundreds of them take seconds, and what is missing then is made after the next call. */
export const backgroundEmbeddingMs = 60_000;
/** Lists that vectors are made for at a time: nobody's thousands of tools keep all others waiting. */
export const listsAtOnce = 4;
/** Reading the descriptions of a list at a stretch; thousands of long ones take seconds. */
export const preparingMs = 5;
/** Texts in one question: others get their turn in between. */
export const textsAtOnce = 64;
/** Lists of tools that are ready to be chosen from; most clients offer the same one again and again. */
export const cachedListsMax = 40;
/** Tools in all of these lists, two to four kilobytes each. */
export const cachedListToolsMax = 15_000;
/** Tools of which all is known, four kilobytes each. */
export const cachedToolsMax = 6000;
/** Of what a search finds, so many are shown whole, and the others in a line each. */
export const fullToolsMax = 8;
/** And no more than this of schemas, beyond the first: an answer must not take more room than it saved. */
export const fullToolCharactersMax = 32_000;
/** Of what a model looks for. */
export const queryCharactersMax = 1200;
/** Calls of a conversation over which the module has to be worth it, and how many it takes to tell. */
export const savingsWindow = { most: 20, least: 5 };
