/** Limits of the configuration file. Each name has its unit. */
export const limits = {
  /** Of the file, and of each value that is read from another file or a command. */
  fileBytesMax: 1024 * 1024,
  /** Values, with those of anchors counted wherever they are used: a small file could stand for billions. */
  nodesMax: 50_000,
  depthMax: 40,
  /** Open brackets anywhere in the text, before it is parsed. */
  bracketsMax: 500,
  /** Faults that are listed. */
  faultsMax: 100,
  /** How long a command that prints a value may take. */
  commandMs: 10_000,
} as const;
