import { Sealer } from '../../accounts/sealer.ts';
import { limits } from '../../calls/limits.ts';
import { CallRecordings } from '../../calls/recordings/call-recordings.ts';
import { RecordingCleaner } from '../../calls/recordings/recording-cleaner.ts';
import { recordingsRoutes } from '../../server/api/routes/recordings.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Part } from '../part.ts';
import type { RootSecrets } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import type { Stores } from './stores.ts';

export interface RecordingsPart extends Part {
  readonly recordings: CallRecordings;
}

interface RecordingsParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly roots: RootSecrets;
  readonly stores: Stores;
}

/** Recorded calls. */
export function recordingsPart({ settings, log, roots, stores }: RecordingsParts): RecordingsPart {
  const { accountBytesMax, totalBytesMax, ...policy } = settings.recordings;
  const table = stores.database.recordings;
  const recordings = new CallRecordings({
    table,
    clock: stores.clock,
    sealing: new Sealer(roots.deriveKeys('recordings')),
    policy,
    bytesMax: accountBytesMax,
    onError: (err) => log.error({ err }, 'could not store recordings; will retry'),
    onDrop: () => log.error({}, 'there is no memory left for recordings; some calls are not recorded'),
  });
  const cleaner = new RecordingCleaner({
    table,
    clock: stores.clock,
    retentionMs: policy.retentionMs,
    totalBytesMax,
    onError: (err) => log.error({ err }, 'could not delete expired recordings'),
  });
  cleaner.start();
  return {
    recordings,
    routes: recordingsRoutes(recordings),
    gauges: [
      {
        name: 'weir_recording_bytes_held',
        help: `Memory for recordings that are not stored yet, max ${limits.recordingBytesHeldMax}`,
        read: () => recordings.heldBytes,
      },
      {
        name: 'weir_recordings_dropped',
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
