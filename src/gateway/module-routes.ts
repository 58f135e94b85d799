import type { Module } from '../kernel/module.ts';
import type { ModuleRoute } from '../kernel/module-route.ts';
import type { RateLimiter } from '../kernel/ports/shared-state.ts';
import { moduleApiRoute } from '../server/api/module-routes.ts';
import type { ApiRoute } from '../server/api/route.ts';
import type { ModuleHosts } from './module-hosts.ts';
import type { PartRoute } from './part.ts';

interface ModuleRoutesParts {
  readonly modules: ReadonlyMap<string, Module>;
  readonly builtIn: ReadonlySet<string>;
  readonly hosts: ModuleHosts;
  readonly rateLimiter: RateLimiter;
}

/** The routes of each module, by its name. Throws if a route is not declared as it must be. */
export function createModuleRoutes({
  modules,
  builtIn,
  hosts,
  rateLimiter,
}: ModuleRoutesParts): ReadonlyMap<string, readonly ApiRoute[]> {
  const routes = new Map<string, readonly ApiRoute[]>();
  for (const [name, module] of modules) {
    const declared = module.routes?.(hosts.of(name)) ?? [];
    for (const route of declared) {
      const problem = problemOf(route, builtIn.has(name) ? '/v1/' : `/v1/modules/${name}/`);
      if (problem !== undefined)
        throw new Error(`module "${name}": ${route.method} ${route.path}: ${problem}`);
    }
    routes.set(
      name,
      declared.map((route) => moduleApiRoute(name, route, rateLimiter)),
    );
  }
  return routes;
}

const methods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const accessNames: readonly string[] = ['session', 'sessionOrKey', 'person', 'key'];

/** Packages need not be written in TypeScript. */
function problemOf({ method, path, access, handle }: ModuleRoute, root: string): string | undefined {
  if (!methods.includes(method)) return `the method must be one of ${methods.join(', ')}`;
  if (!accessNames.includes(access)) return `access must be one of ${accessNames.join(', ')}`;
  if (!path.startsWith(root)) return `the path must begin with ${root}`;
  if (!/^(?:\/:?[\w.-]+)+$/.test(path)) return 'the path must have only names and :parameters';
  return typeof handle === 'function' ? undefined : 'handle must be a function';
}

/** Throws if two routes would serve the same requests. */
export function checkRouteCollisions(routes: readonly PartRoute[]): void {
  const paths = new Map<string, string>();
  const taken = new Set<string>();
  for (const { method, path, ...rest } of routes) {
    const shape = path.replaceAll(/(?<=\/):\w+/g, ':');
    const header = 'header' in rest ? rest.header : undefined;
    const route = `${method} ${shape} ${header ?? ''}`;
    if (taken.has(route)) throw new Error(`two routes serve ${method} ${path}`);
    taken.add(route);
    const same = paths.get(shape);
    if (same !== undefined && same !== path)
      throw new Error(`the routes ${same} and ${path} differ in the names of their parameters only`);
    paths.set(shape, path);
  }
}
