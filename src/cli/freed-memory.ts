import { limits } from '../kernel/limits.ts';
import { loadFfi } from './ffi.ts';

export interface TrimSchedule {
  readonly freedMemoryLookMs: number;
  readonly freedMemoryCpuMs: number;
}

/**
 * Lets the system have what was freed and is kept by glibc for later, from time to time while there is work and once after
 * it: the compilers of V8 take 50 MB in the first seconds of load, on several threads, and none of it would come back by itself.
 * Nothing happens where the C library or this Node.js has no way to ask for it.
 */
export function trimFreedMemory({ freedMemoryLookMs, freedMemoryCpuMs }: TrimSchedule = limits): void {
  // Looked for when it is first needed: the start is for what calls need.
  let trim: (() => void) | undefined;
  let spentMs = cpuMs();
  setInterval(() => {
    if (cpuMs() - spentMs < freedMemoryCpuMs) return;
    trim ??= loadMallocTrim();
    trim();
    spentMs = cpuMs();
  }, freedMemoryLookMs).unref();
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** `malloc_trim` of glibc. Other C libraries have none; Node.js before 26.1 can't call it, nor can one that was told not to. */
function loadMallocTrim(): () => void {
  try {
    const { functions } = loadFfi().dlopen(null, { malloc_trim: { arguments: ['uint64'], return: 'int32' } });
    return () => functions.malloc_trim(0n);
  } catch {
    return () => undefined;
  }
}
