import { constants, fstatSync, openSync } from 'node:fs';
import { isatty } from 'node:tty';

/** A file descriptor to write to. */
export interface OutputDescriptor {
  readonly fd: number;
  /** Writes fail with EAGAIN instead of blocking. */
  readonly isNonBlocking: boolean;
  /** Makes it non-blocking again, if other processes that share it may have changed that. */
  readonly ensureNonBlocking?: (() => void) | undefined;
}

const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;

/**
 * Opens standard output. A thread that blocks on a reader can't be stopped, nor can its process, so pipes, sockets and
 * terminals must be non-blocking. A disk never blocks forever: it fails if it is full.
 */
export function openStdoutDescriptor(fd = 1): OutputDescriptor {
  const stat = fstatSync(fd);
  if (!stat.isFIFO() && !stat.isSocket() && !isatty(fd)) return { fd, isNonBlocking: false };
  try {
    // Opened again, because changing this descriptor would affect others that share it, such as the shell.
    return { fd: openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY), isNonBlocking: true };
  } catch {
    // Sockets and pipes of another user can't be opened, and nothing can without /proc.
    return makeStdoutNonBlocking()
      ? { fd, isNonBlocking: true, ensureNonBlocking: createUnblocker() }
      : { fd, isNonBlocking: false };
  }
}

/** Node.js makes a pipe or socket non-blocking when `process.stdout` is accessed, and restores it at exit. */
function makeStdoutNonBlocking(): boolean {
  return process.platform !== 'win32' && !process.stdout.isTTY;
}

/**
 * Processes that share a socket share its mode: Node.js makes it blocking when it starts a process with it, and when one
 * ends. A write could then block forever.
 */
function createUnblocker(): (() => void) | undefined {
  const handle: unknown = Reflect.get(process.stdout, '_handle');
  if (typeof handle !== 'object' || handle === null || !('setBlocking' in handle)) return undefined;
  const { setBlocking } = handle;
  return typeof setBlocking === 'function' ? () => setBlocking.call(handle, false) : undefined;
}
