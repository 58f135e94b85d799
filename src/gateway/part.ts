import type { ApiRoute } from '../server/api/route.ts';
import type { DataPlaneRoute } from '../server/data-plane.ts';
import type { Gauge } from '../telemetry/process-gauges.ts';

/** One area of the gateway, as the composition root sees it; what other areas need of it stands beside. */
export interface Part {
  readonly routes?: readonly PartRoute[];
  /** How full everything is that could fill up, and how far it may. */
  readonly gauges?: readonly Gauge[];
  /** What it adds to those that `/v1/capabilities` tells of. */
  readonly features?: readonly string[];
  /** Resolves when nothing is open that somebody waits for, or when it is `untilMs` by `performance.now`. */
  drain?(untilMs: number): Promise<void>;
  /** Stores what is only in memory, for which it has until `untilMs`, and lets go of everything. */
  close?(untilMs: number): Promise<void>;
}

export type PartRoute = ApiRoute | DataPlaneRoute;
