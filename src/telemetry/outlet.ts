import { constants, fstatSync, openSync } from 'node:fs';
import { isatty } from 'node:tty';

/** Where bytes go. */
export interface Outlet {
  readonly fd: number;
  /** It says at once when it can take no more, instead of keeping whoever writes to it waiting. */
  readonly isPrompt: boolean;
  /** Makes it prompt again, where other processes that have it may have changed that. */
  readonly keepPrompt?: (() => void) | undefined;
}

const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;

/**
 * Standard output as an outlet. A thread that waits for a reader can't be ended, and the process with it can't either: so
 * pipes, sockets and terminals must be prompt. A disk answers, with an error if it is full.
 */
export function standardOutlet(fd = 1): Outlet {
  const stat = fstatSync(fd);
  if (!stat.isFIFO() && !stat.isSocket() && !isatty(fd)) return { fd, isPrompt: false };
  try {
    // Opened once more, since whoever else has this one, such as the shell, would find it changed.
    return { fd: openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY), isPrompt: true };
  } catch {
    // A socket can't be opened, nor a pipe of another user, nor anything where there is no /proc.
    return madePrompt() ? { fd, isPrompt: true, keepPrompt: unblocker() } : { fd, isPrompt: false };
  }
}

/** Node.js makes a pipe or a socket prompt when it is asked for its stream, and puts it right when the process ends. */
function madePrompt(): boolean {
  return process.platform !== 'win32' && !process.stdout.isTTY;
}

/**
 * Processes that share a socket share its mode: Node.js makes it blocking when it starts a process with it, and when one ends. A
 * write would then wait for a reader, perhaps for ever.
 */
function unblocker(): (() => void) | undefined {
  const handle: unknown = Reflect.get(process.stdout, '_handle');
  if (typeof handle !== 'object' || handle === null || !('setBlocking' in handle)) return undefined;
  const { setBlocking } = handle;
  return typeof setBlocking === 'function' ? () => setBlocking.call(handle, false) : undefined;
}
