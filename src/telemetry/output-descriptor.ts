import { constants, fstatSync, openSync } from 'node:fs';
import { isatty } from 'node:tty';

/** Where bytes go. */
export interface OutputDescriptor {
  readonly fd: number;
  /** It says at once when it can take no more, instead of keeping whoever writes to it waiting. */
  readonly isNonBlocking: boolean;
  /** Makes it prompt again, where other processes that have it may have changed that. */
  readonly ensureNonBlocking?: (() => void) | undefined;
}

const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;

/**
 * Standard output as an outlet. A thread that waits for a reader can't be ended, and the process with it can't either: so
 * pipes, sockets and terminals must be prompt. A disk answers, with an error if it is full.
 */
export function openStdoutDescriptor(fd = 1): OutputDescriptor {
  const stat = fstatSync(fd);
  if (!stat.isFIFO() && !stat.isSocket() && !isatty(fd)) return { fd, isNonBlocking: false };
  try {
    // Opened once more, since whoever else has this one, such as the shell, would find it changed.
    return { fd: openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY), isNonBlocking: true };
  } catch {
    // A socket can't be opened, nor a pipe of another user, nor anything where there is no /proc.
    return makeStdoutNonBlocking()
      ? { fd, isNonBlocking: true, ensureNonBlocking: createUnblocker() }
      : { fd, isNonBlocking: false };
  }
}

/** Node.js makes a pipe or a socket prompt when it is asked for its stream, and puts it right when the process ends. */
function makeStdoutNonBlocking(): boolean {
  return process.platform !== 'win32' && !process.stdout.isTTY;
}

/**
 * Processes that share a socket share its mode: Node.js makes it blocking when it starts a process with it, and when one ends. A
 * write would then wait for a reader, perhaps for ever.
 */
function createUnblocker(): (() => void) | undefined {
  const handle: unknown = Reflect.get(process.stdout, '_handle');
  if (typeof handle !== 'object' || handle === null || !('setBlocking' in handle)) return undefined;
  const { setBlocking } = handle;
  return typeof setBlocking === 'function' ? () => setBlocking.call(handle, false) : undefined;
}
