import { LineWriter } from './line-writer.ts';
import { openStdoutDescriptor } from './output-descriptor.ts';

/** The size up to which writes to a pipe are atomic. */
export const pipeChunkBytesMax = 4096;

/** The size of a write to a file or an empty pipe. */
export const fileChunkBytesMax = 65_536;

/** Writes lines to standard output. */
export function createStdoutWriter(pieceBytes = fileChunkBytesMax): LineWriter {
  const outputDescriptor = openStdoutDescriptor();
  const lines = new LineWriter(
    outputDescriptor,
    outputDescriptor.isNonBlocking ? pieceBytes : fileChunkBytesMax,
  );
  // The last lines before a crash matter most.
  process.on('exit', () => lines.flush());
  return lines;
}
