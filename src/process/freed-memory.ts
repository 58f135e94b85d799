import { loadFfi } from './ffi.ts';
import { limits } from './limits.ts';

export interface TrimSchedule {
  readonly freedMemoryLookMs: number;
  readonly freedMemoryCpuMs: number;
}

/**
 * Returns memory that glibc keeps after `free` to the system, periodically under load and once after it: V8's compiler
 * threads allocate 50 MB in the first seconds of load, which glibc would never return. Does nothing without `malloc_trim`.
 */
export function trimFreedMemory({ freedMemoryLookMs, freedMemoryCpuMs }: TrimSchedule = limits): void {
  // Loaded on first use, to keep the start fast.
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

/** `malloc_trim` of glibc; undefined with other C libraries and where FFI is unavailable. */
function loadMallocTrim(): () => void {
  try {
    const { functions } = loadFfi().dlopen(null, { malloc_trim: { arguments: ['uint64'], return: 'int32' } });
    return () => functions.malloc_trim(0n);
  } catch {
    return () => undefined;
  }
}
