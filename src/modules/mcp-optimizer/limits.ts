/** With fewer tool tokens, two added tools and a changed request don't pay off. */
export const toolTokensMin = 1000;
/** The minimum size of omitted tools, which must exceed what is added. */
export const savedTokensMin = 500;
/** More tools than any client offers or provider accepts. */
export const toolsMax = 5000;
/** The time a call waits for the vectors of its tools, and again for those of its request. */
export const embeddingWaitMs = 150;
/** Tools that a call has embedded while it waits; more are embedded beside the call. */
export const missingToolsMax = 6;
/** The time limit for embedding a list beside a call; hundreds of tools take seconds, and the next call embeds the rest. */
export const backgroundEmbeddingMs = 60_000;
/** Lists embedded concurrently, so that one client's thousands of tools don't block the others. */
export const listsAtOnce = 4;
/** How long descriptions are parsed without yielding; thousands of long ones take seconds. */
export const preparingMs = 5;
/** Texts per embedding request, so that others can run in between. */
export const textsAtOnce = 64;
/** Cached tool lists; most clients offer the same list in every call. */
export const cachedListsMax = 40;
/** Tools in all cached lists, two to four kilobytes each. */
export const cachedListToolsMax = 15_000;
/** Cached prepared tools, four kilobytes each. */
export const cachedToolsMax = 6000;
/** Search results shown completely; the next ones get a line each, and the others are listed by name. */
export const fullToolsMax = 8;
export const toolLinesMax = 56;
/** Maximum size of the names in a search result: the names of some 500 tools. */
export const namesCharactersMax = 8000;
/** Maximum size of the names in the description of `find_tools`, which every call sends. */
export const siblingNamesCharactersMax = 3000;
/** Maximum size of complete results after the first: an answer must not cost more than the omission saved. */
export const fullToolCharactersMax = 32_000;
/** Maximum length of a model's search query. */
export const queryCharactersMax = 1200;
/** The time a choice waits for similar requests of the account; a large account's are in memory the next time. */
export const recallWaitMs = 50;
/** How long a request and the tools called for it are stored, and the interval at which a process stores a use again. */
export const rememberedRequestSeconds = 30 * 86_400;
export const recordingIntervalMs = 86_400_000;
/** Uses that a process knows to be stored, 200 bytes each. */
export const recordedUsesMax = 10_000;
/** Tools that are sent because they were called for similar requests: more than most tasks need. */
export const learnedToolsMax = 12;
/** Maximum size of the tool names stored with a request. */
export const learnedDataBytesMax = 4096;
/** The number of latest calls over which the module must pay off, and the minimum to judge it. */
export const savingsWindow = { most: 20, least: 5 };
