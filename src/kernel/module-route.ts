import type { StandardSchema } from './standard-schema.ts';

/** A route that a module serves beside its work in calls. Create it with `defineModuleRoute`. */
export interface ModuleRoute<Query = Readonly<Record<string, unknown>>, Body = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Parameters as `:name`. Modules of packages have paths below `/v1/modules/<name>/`. */
  readonly path: string;
  /** For the API reference. */
  readonly summary: string;
  /** The chapter of the API reference; the name of the module by default. */
  readonly tag?: string;
  /**
   * The credentials that it accepts. `person` is a session, or the user of a local gateway. In local mode, only `sessionOrKey` and
   * `person` routes can be called.
   */
  readonly access: 'session' | 'sessionOrKey' | 'person' | 'key';
  /** Schemas of the query parameters, by name; others are rejected. */
  readonly query?: { readonly [Name in keyof Query]: StandardSchema<Query[Name]> };
  /** The schema of a JSON body; a body is ignored without it. */
  readonly body?: StandardSchema<Body>;
  /** Passes the body as a text instead of JSON, to the schema and the handler. */
  readonly isTextBody?: true;
  /** 64 KiB by default. */
  readonly bodyBytesMax?: number;
  readonly rateLimit?: RouteRateLimit;
  /** Keeps requests that change something out of the audit log; for what programs send all the time. */
  readonly audit?: 'none';
  /** Descriptions by status, for the API reference. */
  readonly responses: Readonly<Record<number, ModuleResponseDescription>>;
  handle(request: ModuleRequest<Query, Body>): ModuleResponse | Promise<ModuleResponse>;
}

/** Counted for each account, in all processes together. */
interface RouteRateLimit {
  /** Routes with the same name share the limit. */
  readonly name: string;
  readonly most: number;
  readonly seconds: number;
  /** The message of the error. */
  readonly message: string;
}

interface ModuleResponseDescription {
  readonly description: string;
  readonly schema?: StandardSchema<unknown>;
  /** `application/json` by default. */
  readonly contentType?: string;
}

export interface ModuleRequest<Query, Body> {
  /** The tenant whose data the caller may read and change: use it with `host.store`. */
  readonly scope: string;
  /** Undefined in local mode. */
  readonly accountId: string | undefined;
  /** Decoded path parameters. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
  readonly query: Query;
  readonly body: Body;
}

export interface ModuleResponse {
  /** 200 by default. */
  readonly status?: number;
  /** An object is sent as JSON, a string unchanged. */
  readonly body?: object | string;
  readonly contentType?: string;
}

/** Infers the types of the query parameters and the body. */
export function defineModuleRoute<Query, Body>(route: ModuleRoute<Query, Body>): ModuleRoute {
  return route as ModuleRoute;
}
