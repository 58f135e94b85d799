/** Smaller requests are below what any provider caches (512 tokens), and not worth the digests. */
export const requestBytesMin = 2048;
/** Lifetimes of cache entries. */
export const shortLifeMs = 5 * 60_000;
export const longLifeMs = 60 * 60_000;
/** Records of calls outlive the longest lifetime, so that longer pauses are counted as such. */
export const recordTtlSeconds = 2 * 3600;
/** Statistics of calls with the same tools and instructions. */
export const trafficTtlSeconds = 7 * 86_400;
/** Counts are halved beyond this, so that they follow the traffic. */
export const countedCallsMax = 200;
/** Tools and instructions that an application uses in turns. */
export const recentHeadsMax = 16;
/** Conversations are counted by the number of their calls so far, up to this. */
export const depthsMax = 4;
/** Calls that are assumed not to have been continued, so that a first observation is not taken for the rule. */
export const unseenCalls = 2;
/** The same for calls that only share their tools and instructions, which have less in common. */
export const unseenHeads = 3;
/** The weight of other conversations, in calls, against what this one has done so far. */
export const trafficWeight = 2;
/** The most further calls that a conversation is expected to have. */
export const furtherCallsMax = 30;
/** Anthropic finds an earlier write at the marked block and the 19 before it. */
export const lookbackBlocks = 20;
/** Values of instructions that may change: more of them, or longer ones, are no values in a text but a table. */
export const volatileValuesMax = 2000;
export const volatileCharsMax = 16_000;
/** Longer lines are repeated by sentence. */
export const lineCharsMax = 200;
/** The most of instructions that is repeated in a turn because it has changed. */
export const changeCharsMax = 1000;
/** The start of instructions that tells applications apart. */
export const headChars = 200;
/** The least that instructions of several conversations must have in common to be cached apart, about 1,024 tokens. */
export const sharedCharsMin = 4096;
/** Instructions with fewer lines in common are compared anew after a day. */
export const sharedLinesTtlSeconds = 86_400;
/** Shorter texts are not worth a look. */
export const minifiedCharsMin = 200;
/** Omitting fewer characters isn't worth a changed text. */
export const omittedCharsMin = 32;
/** Approximate characters per token. */
export const charsPerToken = 4;
/** Recent tool lists and instructions, which all calls of an application share. */
export const cachedHeadsMax = 500;
/** Longer instructions are sent as they are: comparing their values takes too long. */
export const systemCharsMax = 200_000;
/** Lines of instructions that are compared one by one, to say where a prefix breaks. */
export const digestedLinesMax = 2000;
