/** A process of the gateway, on any machine. */
export interface GatewayProcess {
  /** Different for each start. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly revision: string;
  readonly startedAtMs: number;
  readonly seenAtMs: number;
}

/** The processes that use the same database. */
export interface Processes {
  /** Adds the process, or renews the time when it was seen. */
  see(gatewayProcess: GatewayProcess): Promise<void>;
  /** Deletes those last seen before `sinceMs`, and lists the others by host and start. */
  list(sinceMs: number): Promise<readonly GatewayProcess[]>;
  remove(id: string): Promise<void>;
}
