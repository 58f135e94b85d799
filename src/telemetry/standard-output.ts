import { LineWriter } from './line-writer.ts';
import { standardOutlet } from './outlet.ts';

/** What a pipe takes in one piece, whoever else writes to it at the same time. */
export const pipePieceBytes = 4096;

/** What a file takes in one piece, and a pipe that is empty. */
export const pieceBytesMost = 65_536;

/** Lines for whoever reads the output of this process. */
export function standardOutput(pieceBytes = pieceBytesMost): LineWriter {
  const outlet = standardOutlet();
  const lines = new LineWriter(outlet, outlet.isPrompt ? pieceBytes : pieceBytesMost);
  // The last lines before a crash are the ones that are looked for.
  process.on('exit', () => lines.flush());
  return lines;
}
