import { limits } from '../calls/limits.ts';
import type { Settings } from './settings.ts';

const dayMs = 86_400_000;

type BoundSettings = Pick<Settings, 'auditRetentionMs' | 'auditDaysMin' | 'requestLog' | 'recordings'>;

/** How long accounts can keep data of each kind, in days. */
export function retentionBounds({ auditRetentionMs, auditDaysMin, requestLog, recordings }: BoundSettings) {
  const auditDays = auditRetentionMs === undefined ? undefined : auditRetentionMs / dayMs;
  return {
    requests: { leastDays: 1, mostDays: requestLog.retentionMs / dayMs },
    recordings: { leastDays: 1, mostDays: recordings.retentionMs / dayMs },
    archive: { leastDays: 1, mostDays: limits.archiveLifeSeconds / 86_400 },
    patterns: { leastDays: 1, mostDays: undefined },
    audit: { leastDays: Math.min(auditDaysMin, auditDays ?? auditDaysMin), mostDays: auditDays },
  };
}
