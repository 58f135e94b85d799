/** A process of the gateway, on any machine. */
export interface GatewayProcess {
  /** Different for each start. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly revision: string;
  /** The version of the settings that new calls are served with; null if it is unknown. */
  readonly configuration: string | null;
  readonly startedAtMs: number;
  readonly seenAtMs: number;
}

/** The processes that use the same database. */
export interface Processes {
  /** Adds the process, or renews the time when it was seen. */
  see(gatewayProcess: GatewayProcess): Promise<void>;
  /** Those seen since then, by host and start. */
  list(sinceMs: number): Promise<readonly GatewayProcess[]>;
  /** Deletes those that were last seen before then. */
  removeLost(beforeMs: number): Promise<void>;
  remove(id: string): Promise<void>;
}
