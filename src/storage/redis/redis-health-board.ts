import { hash } from 'node:crypto';
import { z } from 'zod';
import type { HealthBoard, HealthReport } from '../../kernel/ports/health.ts';
import { limits } from '../limits.ts';
import { keys } from './keys.ts';
import type { RedisConnection } from './redis-connection.ts';
import { publishHealthScript, readHealthScript } from './scripts.ts';

/** Health reports in Redis: a hash for each target, with a field for each process. */
export class RedisHealthBoard implements HealthBoard {
  readonly #connection: RedisConnection;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  async publish(name: string, processId: string, report: HealthReport): Promise<void> {
    const values = [processId, JSON.stringify(report), String(limits.healthLifeMs)];
    await this.#connection.runScript(publishHealthScript, [healthKey(name)], () => values);
  }

  read(names: readonly string[]): Promise<readonly ReadonlyMap<string, HealthReport>[]> {
    return Promise.all(names.map((name) => this.#readOne(name)));
  }

  async #readOne(name: string): Promise<ReadonlyMap<string, HealthReport>> {
    const reply = await this.#connection.runScript(readHealthScript, [healthKey(name)], () => []);
    const reports = new Map<string, HealthReport>();
    if (!Array.isArray(reply)) return reports;
    for (let at = 0; at + 1 < reply.length; at += 2) {
      const report = parseReport(reply[at + 1]);
      if (report !== undefined) reports.set(String(reply[at]), report);
    }
    return reports;
  }
}

function healthKey(name: string): string {
  return keys.health(hash('sha256', name, 'base64url'));
}

/** Undefined for a report of another release that has another form. */
function parseReport(text: unknown): HealthReport | undefined {
  const parsed = reportSchema.safeParse(JSON.parse(String(text)));
  return parsed.success ? parsed.data : undefined;
}

const figure = z.number().nonnegative();
const reportSchema: z.ZodType<HealthReport> = z.object({
  slots: z.array(z.object({ slot: figure, attempts: figure, failures: figure })),
  openedAtMs: figure,
  closedAtMs: figure,
  restsUntilMs: figure,
  rejectedAtMs: figure,
  acceptedAtMs: figure,
  content: z.object({ medianMs: figure, slowMs: figure, weight: figure, atMs: figure }).optional(),
  models: z.array(z.string()).optional(),
});
