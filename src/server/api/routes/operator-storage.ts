import { z } from 'zod';
import type { Database } from '../../../kernel/ports/records.ts';
import {
  type StorageReport,
  type StoredPartName,
  storedPartNames,
} from '../../../kernel/ports/storage-report.ts';
import type { Clock } from '../../../lib/clock.ts';
import { limits } from '../../limits.ts';
import { byOperator, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';

/** What deletes old rows of a part; undefined where nothing does. */
interface PartRetention {
  readonly days?: number | undefined;
  readonly rowsMax?: number | undefined;
  readonly bytesMax?: number | undefined;
}

interface StorageParts {
  readonly database: Pick<Database, 'storage'>;
  readonly retentions: { readonly [Name in StoredPartName]?: PartRetention };
  readonly clock: Clock;
}

const bytes = z.int();
const storageSchema = z.strictObject({
  measured_at: z.iso.datetime(),
  bytes: bytes.describe('The size of the database, with what is free in it'),
  bytes_per_day: bytes.describe('What the parts below add on a day'),
  parts: z.array(
    z.strictObject({
      name: z.enum(storedPartNames),
      bytes: bytes.describe('With indexes'),
      bytes_per_day: bytes
        .nullable()
        .describe(
          'What was added on a day, the mean of the last seven days; null for parts whose entries have no time',
        ),
      kept_days: z
        .number()
        .nullable()
        .describe('The age at which entries are deleted; null if age does not count'),
      rows_max: z.int().nullable().describe('The number from which the oldest are deleted; null without one'),
      bytes_max: bytes.nullable().describe('The size from which the oldest are deleted; null without one'),
      expected_bytes: bytes
        .nullable()
        .describe('The size at this pace once entries reach their age; null without an age or a pace'),
    }),
  ),
});

/** What the database holds, by how much it grows, and what is deleted when. */
export function operatorStorageRoute({ database, retentions, clock }: StorageParts): ApiRoute {
  let latest: { readonly atMs: number; readonly report: Promise<StorageReport> } | undefined;
  const read = (nowMs: number) => {
    if (latest !== undefined && nowMs - latest.atMs < limits.storageReportKeptMs) return latest;
    const report = database.storage(nowMs);
    const reading = { atMs: nowMs, report };
    latest = reading;
    // A failure is told once, and tried again.
    report.catch(() => {
      if (latest === reading) latest = undefined;
    });
    return reading;
  };
  return defineRoute({
    method: 'GET',
    path: '/v1/operator/storage',
    summary: 'Get what the database holds and by how much it grows',
    tag: 'Operations',
    access: byOperator,
    body: noBody,
    responses: {
      200: {
        description: `Measured at most every ${limits.storageReportKeptMs / 60_000} minutes`,
        schema: storageSchema,
      },
      401: { description: 'Missing or wrong operator token' },
      403: { description: 'WEIR_ADMIN_TOKEN is not set' },
    },
    async handle() {
      const { atMs, report } = read(clock.now());
      return { body: describeStorage(atMs, await report, retentions) };
    },
  });
}

function describeStorage(
  atMs: number,
  report: StorageReport,
  retentions: StorageParts['retentions'],
): z.output<typeof storageSchema> {
  return {
    measured_at: timestamp(atMs),
    bytes: report.bytes,
    bytes_per_day: report.parts.reduce((sum, { bytesPerDay = 0 }) => sum + bytesPerDay, 0),
    parts: report.parts.map(({ name, bytes: held, bytesPerDay }) => {
      const { days, rowsMax, bytesMax } = retentions[name] ?? {};
      const isExpected = days !== undefined && bytesPerDay !== undefined;
      return {
        name,
        bytes: held,
        bytes_per_day: bytesPerDay ?? null,
        kept_days: days ?? null,
        rows_max: rowsMax ?? null,
        bytes_max: bytesMax ?? null,
        expected_bytes: isExpected
          ? Math.round(Math.min(days * bytesPerDay, bytesMax ?? Number.POSITIVE_INFINITY))
          : null,
      };
    }),
  };
}
