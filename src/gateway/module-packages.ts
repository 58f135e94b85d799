import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Module, ModuleHost, ModuleMaker } from '../kernel/module.ts';

interface Sources {
  readonly builtIn: readonly ModuleMaker[];
  /** Names of npm packages. */
  readonly packages: readonly string[];
  /** Beside which the packages are installed. */
  readonly folder: string;
}

/** The instance's modules: its own, and those of npm packages, loaded once at start and never by a request. */
export async function loadModules(
  { builtIn, packages, folder }: Sources,
  host: ModuleHost,
): Promise<ReadonlyMap<string, Module>> {
  const modules = new Map<string, Module>();
  for (const make of builtIn) {
    const module = make(host);
    modules.set(module.name, module);
  }
  for (const name of packages) {
    for (const module of await modulesOf(name, folder, host)) {
      if (modules.has(module.name))
        throw new Error(
          `WEIR_MODULES: ${name} brings a module "${module.name}", and there is one of that name already`,
        );
      modules.set(module.name, module);
    }
  }
  return modules;
}

/** A package exports a module or a function that makes one, or several of them in an array, as its default. */
async function modulesOf(name: string, folder: string, host: ModuleHost): Promise<readonly Module[]> {
  const exported: unknown = await imported(name, folder);
  const list = Array.isArray(exported) ? exported : [exported];
  return list.map((candidate) => {
    const made: unknown = typeof candidate === 'function' ? makeWith(candidate, host, name) : candidate;
    if (isModule(made)) return made;
    throw new Error(
      `WEIR_MODULES: the default export of ${name} is not a module, nor makes one, nor is a list of these`,
    );
  });
}

function makeWith(make: (host: ModuleHost) => unknown, host: ModuleHost, name: string): unknown {
  try {
    return make(host);
  } catch (cause) {
    throw new Error(`WEIR_MODULES: ${name} could not be made: ${firstLine(cause)}`, { cause });
  }
}

async function imported(name: string, folder: string): Promise<unknown> {
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
