import { limits } from '../kernel/limits.ts';

export interface Pace {
  readonly freedMemoryLookMs: number;
  readonly freedMemoryCpuMs: number;
}

/**
 * Lets the system have what was freed and is kept by glibc for later, from time to time while there is work and once after
 * it: the compilers of V8 take 50 MB in the first seconds of load, on several threads, and none of it would come back by itself.
 * Nothing happens where the C library or this Node.js has no way to ask for it.
 */
export function giveFreedMemoryBack({ freedMemoryLookMs, freedMemoryCpuMs }: Pace = limits): void {
  // Looked for when it is first needed: the start is for what calls need.
  let trim: (() => void) | undefined;
  let spentMs = cpuMs();
  setInterval(() => {
    if (cpuMs() - spentMs < freedMemoryCpuMs) return;
    trim ??= mallocTrim();
    trim();
    spentMs = cpuMs();
  }, freedMemoryLookMs).unref();
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** `malloc_trim` of glibc. Other C libraries have none; Node.js before 26.1 can't call it, nor can one that was told not to. */
function mallocTrim(): () => void {
  try {
    const ffi = withoutWarnings(() => process.getBuiltinModule('node:ffi'));
    const { functions } = ffi.dlopen(null, { malloc_trim: { arguments: ['uint64'], return: 'int32' } });
    return () => functions.malloc_trim(0n);
  } catch {
    return () => undefined;
  }
}

/** That this part of Node.js may change is no news for whoever starts a gateway: without it, the gateway does as well. */
function withoutWarnings<Result>(work: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
