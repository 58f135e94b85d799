type Ffi = typeof import('node:ffi');

/** Calls C functions. Throws where Node.js lacks the module: before 26.1, and where it is switched off. */
export function loadFfi(): Ffi {
  const { emitWarning } = process;
  // That this part of Node.js may change is no news for whoever starts a gateway: without it, the gateway does as well.
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:ffi');
  } finally {
    process.emitWarning = emitWarning;
  }
}
