import { openSync } from 'node:fs';
import { LineWriter } from './line-writer.ts';
import type { OutputDescriptor } from './output-descriptor.ts';
import { createStdoutWriter, fileChunkBytesMax } from './stdout-writer.ts';

/** The log output of this process. */
export interface LogOutput {
  readonly lines: LineWriter;
  /** Reopens the log file after rotation; does nothing without a file. */
  reopen(): void;
}

/** A file, or standard output in chunks of that size. */
export function openLogOutput(file: string | undefined, pieceBytes = fileChunkBytesMax): LogOutput {
  if (file === undefined) return { lines: createStdoutWriter(pieceBytes), reopen() {} };
  const lines = new LineWriter(openFile(file), fileChunkBytesMax);
  process.on('exit', () => lines.flush());
  return { lines, reopen: () => lines.switchTo(openFile(file)) };
}

/** Opened for appending, so that several processes can write to it. */
function openFile(file: string): OutputDescriptor {
  try {
    return { fd: openSync(file, 'a', 0o640), isNonBlocking: false };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`WEIR_LOG_FILE can't be written (${why})`, { cause });
  }
}
