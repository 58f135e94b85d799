/** Approximate characters per token: prose has four, code and JSON three. */
export const charsPerToken = 4;
/** A request that, with its answer, is estimated at this share of the context window may not fit. */
export const windowShare = 0.9;
/** The room for an answer in the context window, if the client allows as much: more is left to the provider, which may take less. */
export const answerTokensMax = 8000;
/** The size after a step, as a share of the target, to leave room before the next one. */
export const stepShare = 0.6;
/** A required step must reach this share of the target if any does, to be the only one for a while. */
export const requiredShare = 0.8;
/** The growth, as a share of the target, before a target that couldn't be held is tried again. */
export const holdRetryShare = 0.2;
/** The same at a cache break, where a step costs nothing and can go further. */
export const breakShare = 0.5;
/** The same for a conversation that is already long in its first call: most of it stays, as it may end soon. */
export const firstShare = 0.97;
/** The share of the available room for shortened turns; records of older turns get the rest. */
export const shortenedShare = 0.4;
/** The maximum share of the room for unchanged recent turns; fewer stay if they are larger. */
export const recentTurnsShareMax = 0.6;
/** The minimum number of unchanged recent turns. */
export const recentTurnsMin = 1;
/** What stays of a tool result and of a text argument in an older turn. */
export const looseShortening = { resultChars: 900, argumentChars: 600 };
/** The same in a step that must not change the cached prefix. */
export const tightShortening = { resultChars: 300, argumentChars: 160 };
/** The distance of anchor markers, as a share of the target: a step rewrites only what follows an anchor. */
export const anchorSpacingShare = 0.15;
/** Omitting fewer characters isn't worth an omission note. */
export const omittedCharsMin = 120;
/** A newest turn that doesn't fit into the context window is cut to this share of it: older turns and `recall` need room, too. */
export const newestTurnShare = 0.7;
/** The room that is left to a newest turn after the provider has rejected the request. */
export const rejectedShare = 0.5;
/** The maximum for a tool call with its result in a record. */
export const callChars = 160;
/** The minimum size of a record. */
export const recordCharsMin = 800;
/** Messages of this size together are shortened in one turn of the event loop: some milliseconds. */
export const shortenedAtOnceChars = 64_000;
/** The texts that a record is selected from, or twice its own size if that is more: reading a megabyte takes 40 ms. */
export const recordReadChars = 400_000;
/** User texts stay complete up to this share of a record. */
export const usersShareMax = 0.5;
/** The maximum JSON size of a decision: sealing adds a third, and a module's value may have 256 KiB. */
export const decisionBytesMax = 190_000;
/** The maximum size of a piece, which fits into a decision even with three bytes per character. */
export const pieceJsonCharsMax = 60_000;
/** The accepted loss from steps that don't pay off: a share of the cost without compaction, and an amount. Half a percent is promised. */
export const lossShareMax = 0.0045;
export const lossNanoUsdMax = 20_000_000;
/** Costs of a conversation are tracked from this share of the target on. */
export const costTrackingShare = 0.25;
/** A step must be expected to save this many times its cost. */
export const savingsFactorMin = 2;
/** The growth of a conversation before the planner looks for a step again. */
export const nextAttemptGrowth = 1.02;
/** The expected remaining calls of a conversation, as a share of its calls so far. */
export const expectedCallsShare = 0.5;
/** Tool results from this length on may be shrunk before they are first sent. */
export const bigResultChars = 8000;
/** The minimum share that shrinking must remove. */
export const shrunkShareMin = 0.15;
/** The minimum number of tool results for the provider to clear. */
export const clearedUsesMin = 5;
/** The maximum size of a `recall` answer. */
export const recallCharsMax = 15_200;
/** The share of its score that a matching passage passes on to its neighbors. */
export const neighborShare = 0.4;
/** How long the costs of a conversation are stored. */
export const costsTtlSeconds = 30 * 86_400;
/** The number of pieces cached in memory. */
export const cachedPiecesMax = 200;
/** How many views to try, from the latest back, when another branch took a step that this one hasn't seen. */
export const viewsTried = 3;
/** Input and output limits of a model that writes a record. */
export const recordInputCharsMax = 240_000;
export const recordOutputTokensMax = 2500;
/** The delay before a failed record is requested again. */
export const recordRetrySeconds = 600;
/** A model starts writing a record when the conversation reaches this share of its target. */
export const writeAheadShare = 0.8;
