/** Characters in a token, about: prose has four, code and JSON three. */
export const charsPerToken = 4;
/** Estimates are not exact: what fills this share of a window, with the answer, may not fit. */
export const windowShare = 0.9;
/** What a step comes down to, as a share of the target: there must be room to grow before the next one. */
export const stepShare = 0.6;
/** A break costs nothing, so that it goes further. */
export const breakShare = 0.5;
/** A conversation that comes with a long past is seen for the first time: nobody knows how far it goes on, so that most of it stays. */
export const firstShare = 0.97;
/** Of what there is room for, so much is for turns whose results are shortened, and the rest for records of older ones. */
export const shortenedShare = 0.4;
/** Turns that stay as they are may take this share of the room; of larger ones fewer stay. */
export const recentTurnsShareMax = 0.6;
/** And no fewer than this. */
export const recentTurnsMin = 1;
/** So much of a result, and of a text among the arguments of a call, stays in a turn that is not among the newest. */
export const looseShortening = { resultChars: 900, argumentChars: 600 };
/** And in a step that is to shorten what is sent without touching what comes before it. */
export const tightShortening = { resultChars: 300, argumentChars: 160 };
/** Markers stand by so far apart, as a share of the target: what is behind one can be shortened for what it takes itself. */
export const anchorSpacingShare = 0.15;
/** What can't be shortened by as much is not worth a line that says so. */
export const omittedCharsMin = 120;
/** A text up to this length stays or goes as a whole. */
export const unitChars = 600;
/** Longer ones are taken apart into pieces of about this. */
export const pieceChars = 300;
/** In a record, a call and what came of it take this much at most. */
export const callChars = 160;
/** A record has room for this at least. */
export const recordCharsMin = 800;
/** What the user said stays as it is where it takes no more than this share of a record. */
export const usersShareMax = 0.5;
/** A decision is stored as JSON of up to this size: sealed it is a third longer, and a module's value may take 256 KiB. */
export const decisionBytesMax = 190_000;
/** Characters of a piece: CJK takes three bytes for each, and has to fit into a decision. */
export const pieceJsonCharsMax = 60_000;
/** Dollars that may be lost by steps that don't pay after all, as a share of the bill without them. */
export const lossShareMax = 0.008;
/** From this share of the target on it is known what a conversation costs. */
export const costTrackingShare = 0.25;
/** A step has to save so many times what it costs: what may be lost is better spent on the next one. */
export const savingsFactorMin = 2;
/** Steps are looked for again when a conversation has grown by so much. */
export const nextAttemptGrowth = 1.06;
/** A conversation is expected to go on for this share of the calls that it had. */
export const expectedCallsShare = 0.5;
/** Results of tools from this length on are looked at before they are sent for the first time. */
export const bigResultChars = 8000;
/** And shrunk where that leaves out so much of them. */
export const shrunkShareMin = 0.15;
/** Fewer results are not worth it to be cleared by their provider. */
export const clearedUsesMin = 5;
/** What one `recall` brings back. */
export const recallCharsMax = 15_200;
/** What a passage is worth that stands beside one that was asked for. */
export const neighborShare = 0.4;
/** How long it is known what a conversation was worth. */
export const costsTtlSeconds = 30 * 86_400;
/** Decisions whose messages are kept ready. */
export const cachedPiecesMax = 200;
/** Steps of a conversation that are tried from the latest back, where another branch took one that this one has not seen. */
export const viewsTried = 3;
/** What a model gets to read for a record, and how much it may write. */
export const recordInputCharsMax = 240_000;
export const recordOutputTokensMax = 2500;
/** After this time it is asked for again where nothing came of it. */
export const recordRetrySeconds = 600;
/** A record is asked of a model when a conversation has come to this share of its target. */
export const writeAheadShare = 0.8;
