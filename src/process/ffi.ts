type Ffi = typeof import('node:ffi');

/** Loads `node:ffi`. Throws before Node.js 26.1 and where it is disabled. */
export function loadFfi(): Ffi {
  const { emitWarning } = process;
  // Suppresses the experimental warning: the gateway also works without FFI.
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:ffi');
  } finally {
    process.emitWarning = emitWarning;
  }
}
