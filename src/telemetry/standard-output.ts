import { pino } from 'pino';
import { limits } from '../kernel/limits.ts';
import type { Lines } from './log.ts';

/** What a pipe takes in one piece, whoever else writes to it at the same time. */
export const pipePieceBytes = 4096;

/**
 * Lines are gathered and written together: one write a call would cost more than the call's own work. They are gathered
 * here, because the stream measures everything that it holds anew for each line.
 */
export function standardOutput(pieceBytes = 65_536): Lines {
  const stream = pino.destination({
    dest: 1,
    sync: false,
    maxWrite: pieceBytes,
    // Of a reader that is this far behind it is better to lose lines than the gateway.
    maxLength: limits.logLinesBytesWaiting,
  });
  let lost = 0;
  stream.on('drop', (lines: string) => {
    lost += lines.split('\n').length - 1;
  });
  let gathered = '';
  let gatheredBytes = 0;
  const pass = () => {
    if (gathered === '') return;
    stream.write(gathered);
    gathered = '';
    gatheredBytes = 0;
  };
  setInterval(pass, 250).unref();
  const flush = () => {
    try {
      // What is written from here on waits for the line below, which doesn't come back before it is gone.
      Object.assign(stream, { minLength: Number.POSITIVE_INFINITY });
      pass();
      stream.flushSync();
    } catch {
      // The stream isn't open yet, or the reader of our output is gone: there is nobody left to tell.
    } finally {
      Object.assign(stream, { minLength: 0 });
    }
  };
  // The last lines before a crash are the ones that are looked for; the stream has an ending of its own after this.
  process.prependListener('exit', flush);
  return {
    write(line) {
      const bytes = Buffer.byteLength(line);
      if (gatheredBytes + bytes > pieceBytes) pass();
      gathered += line;
      gatheredBytes += bytes;
    },
    get lost() {
      return lost;
    },
    flush,
  };
}
