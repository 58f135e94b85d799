import type { ApiRoute, WebSocketRoute } from '../server/api/route.ts';
import type { DataPlaneRoute } from '../server/data-plane.ts';
import type { Check } from '../telemetry/diagnostics.ts';
import type { Gauge } from '../telemetry/process-gauges.ts';

/** One area of the gateway, for the composition root. */
export interface Part {
  readonly routes?: readonly PartRoute[];
  /** Fill levels and their limits. */
  readonly gauges?: readonly Gauge[];
  /** For `GET /v1/diagnostics`. */
  readonly checks?: readonly Check[];
  /** Features for `/v1/capabilities`. */
  readonly features?: readonly string[];
  /** Resolves when nothing is open, or at `untilMs` by `performance.now`. */
  drain?(untilMs: number): Promise<void>;
  /** Flushes data until `untilMs` at most, and releases all resources. */
  close?(untilMs: number): Promise<void>;
}

export type PartRoute = ApiRoute | WebSocketRoute | DataPlaneRoute;
