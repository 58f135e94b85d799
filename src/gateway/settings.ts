import { hash } from 'node:crypto';
import { z } from 'zod';
import { accountSettings } from '../accounts/settings.ts';
import { alertSettings } from '../alerts/settings.ts';
import { billingSettings } from '../billing/settings.ts';
import { callSettings } from '../calls/settings.ts';
import { egressSettings } from '../egress/settings.ts';
import { embeddingSettings } from '../embeddings/settings.ts';
import { Secret } from '../lib/secret.ts';
import {
  envVariable,
  isComplete,
  ownsVariable,
  readSettingFields,
  type SettingFields,
  type SettingIssue,
  type SettingPlace,
  type SettingValues,
  type Variables,
} from '../lib/settings.ts';
import { mcpSettings } from '../mcp/servers/settings.ts';
import { paymentSettings } from '../payments/settings.ts';
import { providerSettings } from '../providers/settings.ts';
import { sandboxSettings } from '../sandbox/settings.ts';
import { serverSettings } from '../server/settings.ts';
import { inMemoryDataDir, storageSettings } from '../storage/settings.ts';
import { telemetrySettings } from '../telemetry/settings.ts';
import { providerFaults } from './provider-faults.ts';
import { workerSettings } from './worker-settings.ts';

/** All settings. */
const fields = {
  /** The configuration file, and whether values in it may come from commands; read before the others. */
  configFile: envVariable('WEIR_CONFIG', z.string().min(1).optional()),
  configExec: envVariable('WEIR_CONFIG_EXEC', z.enum(['on', 'off'], 'must be on or off').default('off')),
  mode: envVariable(
    'WEIR_MODE',
    z.enum(['local', 'cloud'], 'must be "local" or "cloud"').default('local'),
    'mode',
  ),
  revision: envVariable('WEIR_REVISION', z.string().min(1).default('dev'), 'revision'),
  ...serverSettings,
  ...workerSettings,
  ...storageSettings,
  ...accountSettings,
  ...billingSettings,
  ...callSettings,
  ...providerSettings,
  ...egressSettings,
  ...mcpSettings,
  ...sandboxSettings,
  ...paymentSettings,
  ...embeddingSettings,
  ...alertSettings,
  ...telemetrySettings,
} as const;

/** Every variable that the gateway reads; a `*` stands for the name of a provider. */
export const settingVariables: readonly string[] = Object.values(fields).flatMap(
  ({ variables }) => variables,
);

/** Where the configuration file has each of them. Modules of packages have settings of their own. */
export const settingPlaces: readonly SettingPlace[] = [
  ...Object.values(fields).flatMap(({ places }) => places),
  { variable: 'WEIR_*_*', at: 'modules.settings.*.*', schema: z.string() },
];

export type ParsedSettings = SettingValues<typeof fields>;

export interface Settings extends ParsedSettings {
  /** `WEIR_` variables that the gateway itself does not know; some may be for modules. */
  readonly rest: ReadonlyMap<string, Secret>;
  /** A short digest of all settings but secrets and those that differ between replicas. */
  readonly configurationVersion: string;
  /** The names of all settings. */
  readonly unknownVariables: readonly string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Throws a `SettingsError` that lists every fault with its variable. */
export class SettingsError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'SettingsError';
    this.faults = faults;
  }
}

/** `labelOf` says where the operator finds a setting: its variable, or its place in a file. */
export function readSettings(
  environment: Environment,
  labelOf: (issue: SettingIssue) => string = ({ variable }) => variable,
): Settings {
  const variables = definedVariables(environment);
  const { read, faults } = readSettingFields(fields, variables);
  const all = [
    ...sortByVariable([...faults, ...providerFaults(read)], variables).map(
      (issue) => `${labelOf(issue)}: ${issue.message}`,
    ),
    ...combinationFaults(read, variables),
  ];
  if (!isComplete<typeof fields>(read, all)) throw new SettingsError([...new Set(all)]);
  const rest = [...variables].filter(([name]) => name.startsWith('WEIR_') && !ownsVariable(fields, name));
  return {
    ...read,
    rest: new Map(rest.map(([name, value]) => [name, new Secret(value)])),
    configurationVersion: configurationVersionOf(variables),
    unknownVariables: rest.map(([name]) => name),
  };
}

/** Blank values count as unset, as in compose files. */
function definedVariables(environment: Environment): Variables {
  const variables = new Map<string, string>();
  for (const [name, value] of Object.entries(environment)) if (value?.trim()) variables.set(name, value);
  return variables;
}

function configurationVersionOf(variables: Variables): string {
  const secret: SettingFields = Object.fromEntries(
    Object.entries(fields).filter(([, { places }]) => places.some(({ isSecret }) => isSecret)),
  );
  const shown = [...variables].filter(
    ([name]) =>
      !replicaVariables.has(name) &&
      (ownsVariable(fields, name) || name.startsWith('WEIR_')) &&
      !secretVariable.test(name) &&
      !ownsVariable(secret, name),
  );
  return hash('sha256', JSON.stringify(shown.toSorted(([one], [other]) => (one < other ? -1 : 1)))).slice(
    0,
    12,
  );
}

const replicaVariables = new Set([
  'HOST',
  'PORT',
  'WEIR_DATA_DIR',
  'WEIR_LOG_FILE',
  'WEIR_CONFIG',
  'WEIR_REVISION',
]);
/** Of modules. */
const secretVariable = /(?:KEY|TOKEN|SECRET|PASSWORD)$/;

/** In the order of the variables. */
function sortByVariable(faults: readonly SettingIssue[], variables: Variables): readonly SettingIssue[] {
  const names = [...variables.keys()];
  return faults.toSorted((one, other) => names.indexOf(one.variable) - names.indexOf(other.variable));
}

/** Checks combinations of settings. */
function combinationFaults(
  { mode, dataDir, workers = 1, isAirgapped, embeddings }: Partial<ParsedSettings>,
  variables: Variables,
): readonly string[] {
  const faults: string[] = [];
  if (dataDir === inMemoryDataDir && workers > 1 && !variables.has('DATABASE_URL'))
    faults.push(
      `WEIR_WORKERS: several processes need a shared data folder, but WEIR_DATA_DIR is ${inMemoryDataDir}`,
    );
  if (variables.has('DATABASE_URL') !== variables.has('REDIS_URL'))
    faults.push('DATABASE_URL and REDIS_URL: set both or neither');
  if (variables.has('WEIR_SMTP_URL') !== variables.has('WEIR_MAIL_FROM'))
    faults.push('WEIR_SMTP_URL and WEIR_MAIL_FROM: set both or neither');
  if (variables.has('WEIR_LOG_S3_URL') !== variables.has('WEIR_LOG_S3_KEY'))
    faults.push('WEIR_LOG_S3_URL and WEIR_LOG_S3_KEY: set both or neither');
  if (isAirgapped && embeddings?.from === 'provider')
    faults.push(
      'WEIR_EMBEDDINGS: must be local or off with WEIR_AIRGAP, which keeps texts from other systems',
    );
  if (!variables.has('DATABASE_URL')) return faults;
  if (mode === 'local')
    faults.push('DATABASE_URL: not supported in local mode, which stores its data in WEIR_DATA_DIR');
  if (!variables.has('WEIR_SECRET'))
    faults.push('WEIR_SECRET: required with DATABASE_URL, the same on every replica');
  if (!variables.has('WEIR_BASE_URL'))
    faults.push('WEIR_BASE_URL: required with DATABASE_URL; set it to the URL that clients use');
  return faults;
}
