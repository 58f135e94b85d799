import type { Database } from '../kernel/ports/records.ts';
import type { Log } from '../telemetry/log.ts';
import { Outage } from '../telemetry/outage.ts';
import type { Gauge } from '../telemetry/process-gauges.ts';
import { limits } from './limits.ts';

/** Asks the database at intervals whether it responds, for metrics and the log. */
export class DatabaseProbe {
  readonly #database: Database;
  readonly #outage: Outage;
  readonly #timer: NodeJS.Timeout;

  constructor(database: Database, log: Log) {
    this.#database = database;
    this.#outage = new Outage(log, { began: 'the database is unreachable', ended: 'the database is back' });
    this.#timer = setInterval(() => void this.#probe(), limits.databaseProbeMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #probe(): Promise<void> {
    try {
      await this.#database.ping();
      this.#outage.end();
    } catch (err) {
      this.#outage.begin({ err });
    }
  }

  get gauges(): readonly Gauge[] {
    const load = () => this.#database.load();
    return [
      {
        name: 'weir_database_up',
        help: 'Whether the database responded to the last probe',
        read: () => Number(!this.#outage.isOn),
      },
      {
        name: 'weir_database_connections_in_use',
        help: `Database connections in use, max ${load().connectionsMax}`,
        read: () => load().inUse,
      },
      {
        name: 'weir_database_queries_waiting',
        help: 'Queries that wait for a database connection',
        read: () => load().waiting,
      },
    ];
  }
}
