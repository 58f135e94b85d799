import type { JsonObject } from '../../lib/json.ts';
import type { PresentedCredential } from './records.ts';

/** A module's configuration that an account has stored under a name. */
export interface StoredConfiguration {
  readonly accountId: string;
  readonly module: string;
  readonly name: string;
  readonly content: JsonObject;
  /** Different after each change. */
  readonly version: string;
  readonly updatedAtMs: number;
}

export type ConfigurationId = Pick<StoredConfiguration, 'accountId' | 'module' | 'name'>;

export interface PutConfigurationOptions {
  /** The maximum for an account: their number, and the characters of all contents as JSON. */
  readonly most: number;
  readonly charactersMost: number;
  /** The credential of the request. Nothing is stored if it is no longer valid. */
  readonly shown?: PresentedCredential | undefined;
}

export interface Configurations {
  /** Replaces one with the same name; false if the account has too many, or too large ones. */
  put(configuration: StoredConfiguration, options: PutConfigurationOptions): Promise<boolean>;
  /** By module and name. */
  list(accountId: string): Promise<readonly StoredConfiguration[]>;
  /** False if there was none. */
  delete(id: ConfigurationId): Promise<boolean>;
  /** Deletes all of an account. */
  forget(accountId: string): Promise<void>;
}
