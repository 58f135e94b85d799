import type { Migration } from '../migrate.ts';
import { createSumTables } from './request-past.ts';

/**
 * Totals of days beside the past sums, so that weeks and months are read a row for each day and kind. They are filled
 * from the past sums by the process that cleans the log; where they don't agree with them, the past sums are read.
 */
export const requestDayTotals: Migration = {
  name: 'request-day-totals',
  up: (db, dialect) => createSumTables(db, dialect, 'request_day'),
};
