import { inMemoryDataDir } from '../storage/settings.ts';
import type { Log } from '../telemetry/log.ts';
import { Journal } from '../telemetry/request-log/journal.ts';
import type { Settings } from './settings.ts';

interface JournalOptions {
  readonly settings: Pick<Settings, 'dataDir' | 'stores'>;
  readonly log: Log;
  /** The beginning of its files' names. */
  readonly name: string;
  readonly delayMs: number;
}

/** A journal in the data folder; undefined if there is none. */
export function createJournal({ settings, log, name, delayMs }: JournalOptions): Journal | undefined {
  if (settings.stores === undefined && settings.dataDir === inMemoryDataDir) return undefined;
  return new Journal({
    folder: settings.dataDir,
    name,
    delayMs,
    onError: (err) =>
      log.error({ err }, 'could not write the journal; a crash would lose calls that are not stored yet'),
  });
}
