import { isDeepStrictEqual } from 'node:util';
import { limits as accountLimits } from '../accounts/limits.ts';
import { Sealer } from '../accounts/sealer.ts';
import { archiveCollection } from '../calls/archive/archives.ts';
import { mcpServersKind, ownProvidersKind } from '../calls/configuration-kinds.ts';
import { limits as callLimits } from '../calls/limits.ts';
import { localAccountId } from '../calls/local-setting.ts';
import { ownProvidersBound } from '../calls/own-providers/own-provider-name.ts';
import { readPromptContent } from '../calls/prompts/prompt-content.ts';
import { isLabelName, isPromptName } from '../calls/prompts/prompt-reference.ts';
import { storedObjectCollection } from '../calls/stored-objects/stored-objects.ts';
import { scopeOf } from '../kernel/caller.ts';
import { checkContent, findKind, type ListedConfigurations } from '../kernel/configuration.ts';
import { GatewayError } from '../kernel/errors.ts';
import { limits as kernelLimits } from '../kernel/limits.ts';
import type { Module } from '../kernel/module.ts';
import { isConfigurationName, parsePipelineList } from '../kernel/pipeline-list.ts';
import type { DeclaredCollection } from '../kernel/ports/collections.ts';
import type { Configurations } from '../kernel/ports/configurations.ts';
import type {
  ImportOptions,
  MovedCollection,
  MovedOwner,
  MovedRow,
  MovedRows,
  MovedSealing,
} from '../kernel/ports/moving.ts';
import type { Database } from '../kernel/ports/records.ts';
import type { Clock } from '../lib/clock.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { limits as mcpLimits } from '../mcp/servers/limits.ts';
import { serversBound } from '../mcp/servers/server-name.ts';
import { exportAccount } from '../moving/export-account.ts';
import { type ImportReport, importAccount } from '../moving/import-account.ts';
import type { SectionName } from '../moving/sections.ts';
import { limits as providerLimits } from '../providers/limits.ts';
import { checkImportedServer } from './mcp-server-rules.ts';
import { checkImportedProvider } from './own-provider-rules.ts';
import type { RootSecrets } from './secrets.ts';
import type { Settings } from './settings.ts';
import { version } from './version.ts';

interface MoverParts {
  readonly settings: Settings;
  readonly roots: RootSecrets;
  readonly database: Pick<Database, 'moved' | 'configurations'>;
  readonly modules: ReadonlyMap<string, Module>;
  readonly clock: Clock;
  /** Lets all processes know that an account has changed. */
  renew(accountId: string): Promise<unknown>;
}

interface MoveQuestion {
  readonly accountId: string;
  readonly passphrase: string | undefined;
}

export interface ExportChoice extends MoveQuestion {
  readonly sections: readonly SectionName[];
}

export interface ImportChoice extends MoveQuestion {
  readonly sections: readonly SectionName[] | undefined;
  readonly isDryRun: boolean;
  readonly replaces: boolean;
  readonly finishMs?: number | undefined;
  onProgress?(rows: number): void;
  onFinish?(rows: number): void;
}

/** Exports and imports accounts. */
export class Mover {
  readonly #parts: MoverParts;
  readonly #rows: MovedRows;
  readonly #collections: ReadonlyMap<string, MovedCollection>;

  constructor(parts: MoverParts) {
    this.#parts = parts;
    const sealing = (label: string) => sealingWith(new Sealer(parts.roots.deriveKeys(label)));
    this.#rows = parts.database.moved({
      collections: sealing('archive'),
      decisions: sealing('ledger'),
      recordings: sealing('recordings'),
      providerKeys: sealing('provider keys'),
    });
    this.#collections = declaredCollections(parts);
  }

  export({ accountId, sections, passphrase }: ExportChoice): AsyncIterable<string> {
    const { settings, clock } = this.#parts;
    const owner = ownerOf(accountId);
    const about = { rows: this.#rows, product: version, mode: settings.mode };
    return exportAccount(about, { owner, sections, passphrase, atMs: clock.now() });
  }

  import(chunks: AsyncIterable<Uint8Array>, choice: ImportChoice): Promise<ImportReport> {
    const { accountId, sections, passphrase, finishMs, onProgress, onFinish } = choice;
    return importAccount(chunks, {
      options: this.#optionsFor(choice),
      rows: this.#rows,
      sections,
      passphrase,
      finishMs,
      ...(onProgress !== undefined && { onProgress }),
      ...(onFinish !== undefined && { onFinish }),
      onCommit: async () => void (await this.#parts.renew(accountId)),
    });
  }

  /** Completes imports whose process was stopped, a part at a time. True if there is more. */
  recoverSome(): Promise<boolean> {
    return this.#rows.recoverSome(this.#parts.clock.now());
  }

  #optionsFor({ accountId, isDryRun, replaces }: ImportChoice): ImportOptions {
    const { settings, clock, modules, database } = this.#parts;
    const { accountBytesMax, retentionMs } = settings.recordings;
    return {
      owner: ownerOf(accountId),
      isLocal: settings.mode === 'local',
      replaces,
      isDryRun,
      nowMs: clock.now(),
      now: () => clock.now(),
      collectionOf: (module, collection) => this.#collections.get(`${module}\n${collection}`),
      hasModule: (name) => modules.has(name),
      faultsOfConfigurations: (rows) =>
        faultsOf(rows, { accountId, modules, settings, table: database.configurations }),
      faultOfPipeline: (list) =>
        faultOfPipeline(list, new Set([...modules.keys(), ...Object.keys(settings.pipelines ?? {})])),
      faultOfPromptVersion,
      faultOfPromptLabel: (label) => (isLabelName(label) ? undefined : 'its name is wrong'),
      promptBounds: {
        prompts: callLimits.promptsMax,
        versions: callLimits.promptVersionsMax,
        characters: callLimits.promptCharactersMax,
        labels: callLimits.promptLabelsMax,
      },
      recordingBytesMax: retentionMs === 0 ? 0 : accountBytesMax,
      keysOfProviderMax: accountLimits.keysOfProviderMax,
    };
  }
}

function ownerOf(accountId: string): MovedOwner {
  const scope = scopeOf(
    accountId === localAccountId ? { kind: 'local' } : { kind: 'account', accountId, keyId: '' },
  );
  return { accountId, scope };
}

function sealingWith(sealer: Sealer): MovedSealing {
  return {
    open: (content, context) => sealer.openBytes(content, context),
    seal: (content, context) => sealer.seal(content, context),
  };
}

function declaredCollections({ modules, settings }: MoverParts): ReadonlyMap<string, MovedCollection> {
  const declared = [...modules.values()].flatMap(({ name, collections = [] }) =>
    collections.map((collection) => movedCollection(name, collection)),
  );
  const archive = archiveCollection(settings.archiveBytes);
  return new Map(
    [
      ...declared,
      movedCollection(archive.name, archive),
      movedCollection(storedObjectCollection.name, storedObjectCollection),
    ].map((one) => [`${one.module}\n${one.collection}`, one]),
  );
}

function movedCollection(module: string, collection: DeclaredCollection): MovedCollection {
  const { name, fields, sealed = false, lifeSeconds, entriesMax, bytesMax, value, unique = [] } = collection;
  return {
    ...{ module, collection: name, isSealed: sealed, lifeSeconds, entriesMax, bytesMax },
    valueBytesMax: collection.valueBytesMax ?? kernelLimits.collectionValueBytes,
    unique: unique.flatMap((field) => fields[field] ?? []),
    async faultOf(content) {
      const { issues } = (await value?.['~standard'].validate(content)) ?? {};
      return issues?.[0] === undefined ? undefined : `its content is wrong: ${issues[0].message}`;
    },
  };
}

interface ConfigurationParts {
  readonly accountId: string;
  readonly modules: ReadonlyMap<string, Module>;
  readonly settings: Settings;
  readonly table: Pick<Configurations, 'list'>;
}

/** Checks configurations together with those that the account has: one may name another. */
async function faultsOf(
  rows: readonly MovedRow[],
  { accountId, modules, settings, table }: ConfigurationParts,
): Promise<ReadonlyMap<MovedRow, string>> {
  const stored = await table.list(accountId);
  const contents = new Map(stored.map(({ module, name, content }) => [`${module}:${name}`, content]));
  const faults = new Map<MovedRow, string>();
  let characters = stored.reduce((sum, { content }) => sum + JSON.stringify(content).length, 0);
  let count = stored.length;
  let providers = stored.filter(({ module }) => module === ownProvidersKind).length;
  let servers = stored.filter(({ module }) => module === mcpServersKind).length;
  const read: { row: MovedRow; content: JsonObject; label: string }[] = [];
  for (const row of rows) {
    const content: unknown = JSON.parse(String(row.content));
    const label = `${row.module}:${row.name}`;
    const isNew = !contents.has(label);
    if (!isJsonObject(content)) faults.set(row, 'it is no object');
    else if (
      isNew &&
      (count >= callLimits.configurationsMax || characters > callLimits.configurationsCharactersMax)
    )
      faults.set(row, `an account has at most ${callLimits.configurationsMax} configurations`);
    else if (isNew && row.module === ownProvidersKind && providers >= providerLimits.ownProvidersMax)
      faults.set(row, ownProvidersBound);
    else if (isNew && row.module === mcpServersKind && servers >= mcpLimits.serversMax)
      faults.set(row, serversBound);
    else {
      if (isNew) count++;
      if (isNew && row.module === ownProvidersKind) providers++;
      if (isNew && row.module === mcpServersKind) servers++;
      characters += String(row.content).length;
      contents.set(label, content);
      read.push({ row, content, label });
    }
  }
  const names = [...contents.keys()].map((label) => {
    const [module = '', name = ''] = label.split(':', 2);
    return { module, name };
  });
  const others: ListedConfigurations = { names, find: (module, name) => contents.get(`${module}:${name}`) };
  for (const { row, content } of read) {
    const fault =
      row.module === ownProvidersKind
        ? messageOf(() => checkImportedProvider(settings, String(row.name), content))
        : row.module === mcpServersKind
          ? messageOf(() => checkImportedServer(settings, String(row.name), content))
          : faultOfConfiguration(row, content, others, modules);
    if (fault !== undefined) faults.set(row, fault);
  }
  return faults;
}

function faultOfConfiguration(
  { module, name }: MovedRow,
  content: JsonObject,
  others: ListedConfigurations,
  modules: ReadonlyMap<string, Module>,
): string | undefined {
  const kind = findKind(modules, String(module));
  if (kind === undefined) return `module "${module}" is not loaded here`;
  if (!isConfigurationName(String(name))) return 'its name is wrong';
  return messageOf(() => checkContent(kind, String(name), content, others));
}

/** `known` has the names of modules and of the operator's pipelines. */
function faultOfPipeline(list: string, known: ReadonlySet<string>): string | undefined {
  const unknown = messageOf(() => {
    for (const { name } of parsePipelineList(list))
      if (!known.has(name)) throw new GatewayError('bad_pipeline', `module "${name}" is not loaded here`);
  });
  return list.length > kernelLimits.pipelineTextMax ? 'it is too long' : unknown;
}

function faultOfPromptVersion(name: string, content: unknown): string | undefined {
  if (!isPromptName(name)) return 'its name is wrong';
  if (!isJsonObject(content)) return 'its content is no object';
  return messageOf(() => {
    if (!isDeepStrictEqual(readPromptContent(content).content, content))
      throw new GatewayError('invalid_request', 'its content is not as prompts are stored');
  });
}

function messageOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (GatewayError.is(error)) return error.message;
    throw error;
  }
}
