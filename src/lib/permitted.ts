const { permission } = process;

/** What Node.js allows this process; all of it except in an airgap. Asked once: each question that is denied is reported. */
export const permitted = {
  network: permission?.has('net') ?? true,
  nativeCode: permission?.has('addon') ?? true,
  debugger: permission?.has('inspector') ?? true,
} as const;
