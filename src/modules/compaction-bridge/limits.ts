/** Tokens are bytes divided by this number, which is high for most texts. */
export const bytesPerToken = 4;
/** Smaller requests belong to conversations that no client compacts. */
export const requestBytesMin = 1000;
/** From this size on, any answer in text may be the summary of a client that the module does not recognize. */
export const unrecognizedBytesMin = 40_000;
/** The minimum length of a summary. */
export const summaryCharsMin = 40;
/** The minimum length of a summary that only its text links to the next context. */
export const unrecognizedSummaryCharsMin = 300;
/** The characters of an answer that are read: more than any client's summary. */
export const answerCharsMax = 200_000;
/** The newest characters of a conversation that are read. */
export const readCharsMax = 2_000_000;
/** The same of a conversation that is quoted in one text, which is split in one turn of the event loop. */
export const quotedCharsMax = 600_000;
/** What is read of one tool result: its beginning and its end. */
export const resultCharsMax = 4000;
/** What is read of one text of the user or the model. */
export const textCharsMax = 20_000;
/** Texts of this size together are read in one turn of the event loop: some milliseconds. */
export const readAtOnceChars = 64_000;
/** The messages at the start of a context in which a summary is sought: clients put their own notes around it. */
export const startMessages = 8;
/** The longest lines of a summary, which identify it. */
export const fingerprintLines = 24;
/** Shorter lines, such as headings, are in many texts. */
export const fingerprintLineCharsMin = 20;
/** The lines of a context that are compared with fingerprints. */
export const comparedLinesMax = 4000;
/** What is compared of one text. */
export const comparedCharsMax = 200_000;
/** The lines that a context and a summary must have in common, unless the summary has fewer. */
export const sharedLinesMin = 3;
/** The newest summaries that a context is compared with. */
export const comparedLedgersMax = 100;
/** The summaries that a context may begin with. */
export const linkedLedgersMax = 4;
/** An unrecognized summary counts only if its conversation had more messages than are read at the start of a context. */
export const unrecognizedMessagesMin = 2 * startMessages;
/** Quotations of one kind that are kept. */
export const keptMax = { user: 250, name: 150, failure: 12, open: 20, finding: 20 } as const;
/** The maximum length of a quotation: longer texts are split, and their telling parts are kept. */
export const quotationCharsMax = 500;
/** The number of parts that are kept of one long text. */
export const partsMax = 6;
export const nameCharsMax = 160;
/** What is read of the arguments of a tool call. */
export const argumentCharsMax = 1000;
export const argumentDepthMax = 4;
export const argumentsMax = 50;
/** The size of a ledger as JSON. */
export const ledgerCharsMax = 120_000;
/** How long summaries of a conversation are remembered, and what the client dropped stays in the archive. */
export const ledgerLifeSeconds = 30 * 86_400;
/** For each account; the oldest are deleted beyond it. */
export const ledgersBytesMax = 64 * 1024 * 1024;
/** Contexts that a process remembers as linked to no summary, so that it does not search again. */
export const unlinkedContextsMax = 20_000;
/** The size of an archived item: a passage of the conversation. */
export const archivedItemChars = 40_000;
export const archivedItemsMax = 100;
