import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Module, type ModuleFactory, type ModuleHost, moduleApi } from '../kernel/module.ts';
import { modulePageSchema } from '../kernel/module-page.ts';
import { redacts } from '../kernel/touches.ts';
import type { ModuleHosts } from './module-hosts.ts';

/** A module, or a function that creates one. */
export type ModuleInput = Module | ModuleFactory;

interface ModuleSources {
  readonly builtIn: readonly ModuleFactory[];
  /** Modules of the embedding program. */
  readonly given: readonly ModuleInput[];
  /** Names of npm packages. */
  readonly packages: readonly string[];
  /** The folder from which packages are resolved. */
  readonly folder: string;
}

interface LoadedModules {
  readonly modules: ReadonlyMap<string, Module>;
  readonly builtInNames: ReadonlySet<string>;
}

/** Loads the built-in modules, the given ones and those of npm packages, once at startup. */
export async function loadModules(
  { builtIn, given, packages, folder }: ModuleSources,
  hosts: ModuleHosts,
): Promise<LoadedModules> {
  const modules = new Map<string, Module>();
  for (const make of builtIn) {
    const host = hosts.create();
    const module = make(host);
    checkRedaction(module, 'the built-in modules');
    host.bind(module.name);
    modules.set(module.name, module);
  }
  const builtInNames = new Set(modules.keys());
  const add = (from: string, brought: readonly Module[]) => {
    for (const module of brought) {
      if (modules.has(module.name))
        throw new Error(`${from} has a module "${module.name}", but there is one of that name already`);
      modules.set(module.name, module);
    }
  };
  add('modules: the list', createModules(given, 'modules: one of the list', hosts));
  for (const [name, exported] of await importPackages(packages, folder))
    add(
      `WEIR_MODULES: ${name}`,
      createModules(exported, `WEIR_MODULES: the default export of ${name}`, hosts),
    );
  return { modules, builtInNames };
}

/** Accepts a module, a function that creates one, or an array of these. */
function createModules(exported: unknown, source: string, hosts: ModuleHosts): readonly Module[] {
  const list = Array.isArray(exported) ? exported : [exported];
  return list.map((candidate) => {
    const host = hosts.create();
    const made: unknown = typeof candidate === 'function' ? createModule(candidate, host, source) : candidate;
    if (!isModule(made))
      throw new Error(`${source} must be a module, a function that returns one, or a list of these`);
    checkApi(made, source);
    checkRedaction(made, source);
    host.bind(made.name);
    checkDefaults(made, source);
    return made;
  });
}

function createModule(make: (host: ModuleHost) => unknown, host: ModuleHost, source: string): unknown {
  try {
    return make(host);
  } catch (cause) {
    throw new Error(`${source} failed to create a module: ${firstLine(cause)}`, { cause });
  }
}

/** The default exports by package name. */
async function importPackages(
  packages: readonly string[],
  folder: string,
): Promise<ReadonlyMap<string, unknown>> {
  const exported = new Map<string, unknown>();
  if (packages.length === 0) return exported;
  // Resolves `weir-gateway/module` to this gateway, even if another copy is installed beside the packages.
  const entry = new URL('../module-api.ts', import.meta.url).href;
  const hooks = registerHooks({
    resolve: (name, context, next) =>
      name === 'weir-gateway/module' ? { url: entry, shortCircuit: true } : next(name, context),
  });
  try {
    for (const name of packages) exported.set(name, await importPackage(name, folder));
  } finally {
    hooks.deregister();
  }
  return exported;
}

async function importPackage(name: string, folder: string): Promise<unknown> {
  try {
    const file = createRequire(join(folder, 'package.json')).resolve(name);
    const namespace = await import(pathToFileURL(file).href);
    return namespace.default;
  } catch (cause) {
    throw new Error(`WEIR_MODULES: ${name} could not be loaded: ${firstLine(cause)}`, { cause });
  }
}

/** The first line has the reason; the others are the require stack. */
function firstLine(cause: unknown): string {
  const [why = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
  return why;
}

/** A package may have been written for another version of the module API. */
function checkApi({ name, api }: { readonly name: string; readonly api?: unknown }, source: string): void {
  if (api === moduleApi) return;
  const version = api === undefined ? 'no API version' : `API version ${api}`;
  throw new Error(
    `${source}: module "${name}" has ${version}, but this gateway supports version ${moduleApi} only. Install a version of the module with \`api: ${moduleApi}\`.`,
  );
}

/** A redaction that is skipped when it fails would send what it has to keep back. */
function checkRedaction(module: Module, source: string): void {
  if (!redacts(module) || module.ifBroken === 'reject') return;
  throw new Error(
    `${source}: module "${module.name}" lists "redaction" in its touches, so its ifBroken must be "reject"`,
  );
}

/** A list may replace some options of a configuration, so the others can't be required. */
function checkDefaults({ name, configuration, options }: Module, source: string): void {
  const read = configuration === undefined ? undefined : options['~standard'].validate({});
  if (read === undefined || !('issues' in read) || read.issues === undefined) return;
  throw new Error(
    `${source}: module "${name}" has a schema for configurations, so all its options need defaults`,
  );
}

function isModule(value: unknown): value is Module {
  if (typeof value !== 'object' || value === null) return false;
  const has = (field: string, test: (fieldValue: unknown) => boolean) => test(Reflect.get(value, field));
  return (
    has('name', (name) => typeof name === 'string' && /^[a-z][a-z0-9-]*$/.test(name)) &&
    has('summary', (summary) => typeof summary === 'string') &&
    has('status', (status) => status === 'production' || status === 'preview') &&
    has('protective', (protective) => typeof protective === 'boolean') &&
    has('ifBroken', (policy) => policy === 'skip' || policy === 'reject') &&
    has('touches', Array.isArray) &&
    has('options', (schema) => typeof schema === 'object' && schema !== null && '~standard' in schema) &&
    has('handle', (handle) => typeof handle === 'function') &&
    has('routes', (routes) => routes === undefined || typeof routes === 'function') &&
    has('page', (page) => page === undefined || modulePageSchema.safeParse(page).success)
  );
}
