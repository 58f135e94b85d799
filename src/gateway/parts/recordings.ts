import { Sealer } from '../../accounts/sealer.ts';
import { limits } from '../../calls/limits.ts';
import { LocalSetting, localAccountId } from '../../calls/local-setting.ts';
import { CallRecordings } from '../../calls/recordings/call-recordings.ts';
import { recordingCleaner } from '../../calls/recordings/recording-cleaner.ts';
import { type RecordingMode, type RecordingTable, recordingModes } from '../../kernel/ports/recordings.ts';
import type { Clock } from '../../lib/clock.ts';
import { recordingSettingsRoutes } from '../../server/api/routes/recording-settings.ts';
import { recordingsRoutes } from '../../server/api/routes/recordings.ts';
import type { Log } from '../../telemetry/log.ts';
import { logReturn } from '../../telemetry/outage.ts';
import type { Part } from '../part.ts';
import type { RootSecrets } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import type { Stores } from './stores.ts';

export interface RecordingsPart extends Part {
  readonly recordings: CallRecordings;
}

interface CallRecordingParts {
  readonly settings: Pick<Settings, 'recordings'>;
  readonly log: Pick<Log, 'info' | 'error'>;
  readonly roots: RootSecrets;
  readonly table: RecordingTable;
  readonly clock: Clock;
  readonly localMode?: LocalSetting<RecordingMode> | undefined;
}

export function openCallRecordings(parts: CallRecordingParts): CallRecordings {
  const { settings, log, roots, table, clock, localMode } = parts;
  const { accountBytesMax, totalBytesMax: _, ...policy } = settings.recordings;
  return new CallRecordings({
    table,
    clock,
    sealing: new Sealer(roots.deriveKeys('recordings')),
    policy,
    localMode,
    bytesMax: accountBytesMax,
    onError: (err) => log.error({ err }, 'could not store recordings; will retry'),
    onRecovered: (ms) => logReturn(log, 'recordings are stored again', ms),
    onDrop: () => log.error({}, 'there is no memory left for recordings; some calls are not recorded'),
  });
}

interface RecordingsParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly roots: RootSecrets;
  readonly stores: Stores;
}

/** Recorded calls. */
export function recordingsPart({ settings, log, roots, stores }: RecordingsParts): RecordingsPart {
  const { totalBytesMax, retentionMs } = settings.recordings;
  const { database, shared, clock } = stores;
  const table = database.recordings;
  const localMode =
    settings.mode === 'local'
      ? new LocalSetting({
          store: database.modules.store('recordings', localAccountId),
          key: 'mode',
          versions: shared.versions,
          parse: (stored) => recordingModes.find((mode) => mode === stored),
        })
      : undefined;
  const { traces, hasContent } = settings.otlp;
  const isInTraces = traces !== undefined && hasContent;
  const recordings = openCallRecordings({ settings, log, roots, table, clock, localMode });
  const cleaner = recordingCleaner({
    table,
    clock,
    retentionMs,
    totalBytesMax,
    onError: (err) => log.error({ err }, 'could not delete expired recordings'),
  });
  cleaner.start();
  return {
    recordings,
    routes: [
      ...recordingSettingsRoutes({ policy: settings.recordings, isInTraces, localMode }),
      ...recordingsRoutes({ recordings, searches: shared.rateLimiter, keys: database.apiKeys }),
    ],
    gauges: [
      {
        name: 'weir_held_recording_bytes',
        help: `Memory for recordings that are not stored yet, max ${limits.recordingBytesHeldMax}`,
        read: () => recordings.heldBytes,
      },
      {
        name: 'weir_recordings_dropped_total',
        help: 'Lost recordings',
        read: () => recordings.dropped,
      },
    ],
    features: ['recordings'],
    async close(untilMs) {
      await cleaner.stop();
      if (!(await recordings.drain(untilMs - performance.now())))
        log.error({}, 'some recordings could not be stored');
    },
  };
}
