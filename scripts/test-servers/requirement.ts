/** One thing that tests can't do without. */
export interface Requirement {
  readonly title: string;
  /** Where this is set, nothing is started. */
  readonly variable: string;
  /** What Debian calls it. */
  readonly packageName: string;
  /** The program's path, where this machine has it. */
  find(): string | undefined;
  start(program: string): Promise<Started>;
}

export interface Started {
  /** What the variable is set to for the tests. */
  readonly value: string;
  stop(): Promise<void>;
}
