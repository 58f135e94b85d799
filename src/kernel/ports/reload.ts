/** What a reload of the configuration has changed. */
export interface ReloadResult {
  /** A digest of the settings. */
  readonly version: string;
  /** The names of settings. */
  readonly changed: readonly string[];
}

/** A reload, for the audit log. */
export interface SettingsChange {
  readonly id: string;
  readonly trigger: 'signal' | 'file' | 'request';
  /** The names of settings. */
  readonly changed: readonly string[];
}

/** Reads the configuration again. Rejects with every fault, and has then changed nothing. */
export type Reload = () => Promise<ReloadResult>;
