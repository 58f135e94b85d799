import { LineWriter } from './line-writer.ts';
import { openStdoutDescriptor } from './output-descriptor.ts';

/** What a pipe takes in one piece, whoever else writes to it at the same time. */
export const pipeChunkBytesMax = 4096;

/** What a file takes in one piece, and a pipe that is empty. */
export const fileChunkBytesMax = 65_536;

/** Lines for whoever reads the output of this process. */
export function createStdoutWriter(pieceBytes = fileChunkBytesMax): LineWriter {
  const outputDescriptor = openStdoutDescriptor();
  const lines = new LineWriter(
    outputDescriptor,
    outputDescriptor.isNonBlocking ? pieceBytes : fileChunkBytesMax,
  );
  // The last lines before a crash are the ones that are looked for.
  process.on('exit', () => lines.flush());
  return lines;
}
