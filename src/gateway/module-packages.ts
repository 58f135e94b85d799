import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Module, type ModuleFactory, type ModuleHost, moduleApi } from '../kernel/module.ts';

/** A module, or what makes one. */
export type ModuleInput = Module | ModuleFactory;

interface ModuleSources {
  readonly builtIn: readonly ModuleFactory[];
  /** Those of the program that this gateway is part of. */
  readonly given: readonly ModuleInput[];
  /** Names of npm packages. */
  readonly packages: readonly string[];
  /** Beside which the packages are installed. */
  readonly folder: string;
}

/** The instance's modules: its own, those it was given, and those of npm packages, loaded once at start and never by a request. */
export async function loadModules(
  { builtIn, given, packages, folder }: ModuleSources,
  host: ModuleHost,
): Promise<ReadonlyMap<string, Module>> {
  const modules = new Map<string, Module>();
  for (const make of builtIn) {
    const module = make(host);
    modules.set(module.name, module);
  }
  const add = (from: string, brought: readonly Module[]) => {
    for (const module of brought) {
      if (modules.has(module.name))
        throw new Error(`${from} brings a module "${module.name}", and there is one of that name already`);
      modules.set(module.name, module);
    }
  };
  add('modules: the list', createModules(given, 'modules: one of the list', host));
  for (const [name, exported] of await importPackages(packages, folder))
    add(
      `WEIR_MODULES: ${name}`,
      createModules(exported, `WEIR_MODULES: the default export of ${name}`, host),
    );
  return modules;
}

/** A package exports a module or a function that makes one, or several of them in an array, as its default. */
function createModules(exported: unknown, what: string, host: ModuleHost): readonly Module[] {
  const list = Array.isArray(exported) ? exported : [exported];
  return list.map((candidate) => {
    const made: unknown = typeof candidate === 'function' ? createModule(candidate, host, what) : candidate;
    if (!isModule(made))
      throw new Error(`${what} must be a module, a function that returns one, or a list of these`);
    checkApi(made, what);
    return made;
  });
}

function createModule(make: (host: ModuleHost) => unknown, host: ModuleHost, what: string): unknown {
  try {
    return make(host);
  } catch (cause) {
    throw new Error(`${what} could not make a module: ${firstLine(cause)}`, { cause });
  }
}

/** What packages have as their default, by the name of the package. */
async function importPackages(
  packages: readonly string[],
  folder: string,
): Promise<ReadonlyMap<string, unknown>> {
  const exported = new Map<string, unknown>();
  if (packages.length === 0) return exported;
  // They get the entry of the gateway that loads them: one may be installed elsewhere, and another one beside them.
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

/** Only that says what happened; the others say who asked. */
function firstLine(cause: unknown): string {
  const [why = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
  return why;
}

/** A package may have been written for another version of the contract than its types say. */
function checkApi({ name, api }: { readonly name: string; readonly api?: unknown }, what: string): void {
  if (api === moduleApi) return;
  const version = api === undefined ? 'no API version' : `API version ${api}`;
  throw new Error(
    `${what}: module "${name}" has ${version}, but this gateway supports version ${moduleApi} only. Install a version of the module with \`api: ${moduleApi}\`.`,
  );
}

function isModule(value: unknown): value is Module {
  if (typeof value !== 'object' || value === null) return false;
  const has = (field: string, test: (found: unknown) => boolean) => test(Reflect.get(value, field));
  return (
    has('name', (name) => typeof name === 'string' && /^[a-z][a-z0-9-]*$/.test(name)) &&
    has('summary', (summary) => typeof summary === 'string') &&
    has('status', (status) => status === 'production' || status === 'preview') &&
    has('protective', (protective) => typeof protective === 'boolean') &&
    has('ifBroken', (policy) => policy === 'skip' || policy === 'reject') &&
    has('touches', Array.isArray) &&
    has('options', (schema) => typeof schema === 'object' && schema !== null && '~standard' in schema) &&
    has('handle', (handle) => typeof handle === 'function')
  );
}
