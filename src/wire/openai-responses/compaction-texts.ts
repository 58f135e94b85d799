/** Takes the place of a compaction trigger for models of providers that don't make compactions. */
export const summaryInstruction = `Stop working on the task and write a summary of this conversation. Another model will continue the task with your summary in place of the conversation, so everything that it needs must be in it.

Write:
- what the user asked for, with every correction and every rule that still holds, in the user's own words where they matter
- what is done, with the names of files, functions, commands and other identifiers exactly as they are
- what was decided, and why
- what was tried without success, with the error
- the state of the work at this moment
- what remains to be done, and the user's newest message if it is not answered yet
- from an earlier summary in the conversation, everything that is still true

Do not call tools, do not continue the task and do not address the user. Answer with the text of the summary only.`;

/** The summary as the model reads it in place of the conversation. */
export function openedSummary(summary: string): string {
  return `Earlier parts of this conversation were replaced with the following summary. Continue from there, and do not repeat what is done.\n\n<summary>\n${summary}\n</summary>`;
}
