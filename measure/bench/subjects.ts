import { join } from 'node:path';
import type { Format } from './calls.ts';
import { type Child, startServer } from './child.ts';
import { signUp, startCloud } from './cloud.ts';
import { usage } from './messages.ts';
import { startPortkey } from './portkey.ts';
import { seedAccounts } from './seed-accounts.ts';
import { type Gateway, startWeir } from './weir.ts';

/** A Weir for each of these lists of modules. */
const moduleLists = {
  'weir, exact-cache': 'exact-cache',
  'weir, semantic-cache': 'semantic-cache',
  'weir, mcp-optimizer': 'mcp-optimizer?holdout=0',
  'weir, patterns': 'patterns',
  'weir, tool-cache': 'tool-cache?holdout=0',
  'weir, ipc': 'ipc?holdout=0',
  'weir, prompt-optimizer': 'prompt-optimizer?holdout=0',
  'weir, cost-guard': 'cost-guard?day=10000',
  'weir, all six':
    'exact-cache,semantic-cache,mcp-optimizer?holdout=0,patterns,ipc?holdout=0,cost-guard?day=10000',
} as const;
type ModuleSubject = keyof typeof moduleLists;
export const moduleSubjects = Object.keys(moduleLists).filter(isModuleSubject);

function isModuleSubject(name: string): name is ModuleSubject {
  return Object.hasOwn(moduleLists, name);
}

/** Who can be measured. Some are one process, told apart by what is sent. */
export type SubjectName =
  | 'direct'
  | 'bare'
  | 'hello'
  | 'weir, none'
  | 'weir, default'
  | 'weir, key'
  | 'weir, cached'
  | 'weir, key, cached'
  | 'weir, accounts'
  | 'portkey'
  | ModuleSubject;

export interface Subject extends Running {
  readonly name: SubjectName;
  readonly headersFor: HeadersFor;
  /** API keys that calls use in turn. */
  readonly keys?: readonly string[];
}

interface Running {
  readonly origin: string;
  readonly child: Child;
  /** Memory after the start, before any load. */
  readonly restBytes: number;
}

type Reached = readonly [Running, HeadersFor, (readonly string[])?];
type HeadersFor = (format: Format) => Readonly<Record<string, string>>;
/** So many that each is called every few seconds. */
const sparseAccounts = 10_000;
export type FindTarget = (name: SubjectName) => Promise<Subject>;

/** Finds subjects by name and starts each process when it is first needed; `children` ends them all. */
export function lineUp(children: AsyncDisposableStack, portkeyFolder: string): FindTarget {
  const running = <Started extends Gateway>(start: () => Promise<Started>) =>
    once(async () => {
      const gateway = children.use(await start());
      const { rssBytes: restBytes } = await gateway.child.ask({ kind: 'usage' }, usage);
      return { ...gateway, restBytes };
    });
  const provider = running(() => startOwn('upstream.ts'));
  const upstream = async (): Promise<string> => (await provider()).origin;
  const bare = running(async () => startOwn('bare-proxy.ts', '--upstream', await upstream()));
  const hello = running(() => startOwn('hello.ts'));
  const none = { WEIR_PIPELINE: 'none' };
  const plainWeir = running(async () => startWeir({ upstream: await upstream(), environment: none }));
  const weir = running(async () => startWeir({ upstream: await upstream() }));
  const cloud = running(async () => startCloud({ upstream: await upstream() }));
  const accounts = once(() => seedAccounts(sparseAccounts));
  const crowdedCloud = running(async () =>
    startCloud({ upstream: await upstream(), environment: (await accounts()).environment }),
  );
  const portkey = running(() => startPortkey(portkeyFolder));
  const account = once(async () => signUp((await cloud()).origin, 'bench'));
  const keyOf = async (pipeline: string | null) => bearer(await (await account())(pipeline));

  const reached: Readonly<Record<Exclude<SubjectName, ModuleSubject>, () => Promise<Reached>>> = {
    direct: async () => [await provider(), anybody],
    bare: async () => [await bare(), anybody],
    hello: async () => [await hello(), anybody],
    'weir, none': async () => [await plainWeir(), anybody],
    'weir, default': async () => [await weir(), anybody],
    'weir, cached': async () => [await plainWeir(), cachedForAnybody],
    'weir, key': async () => [await cloud(), await keyOf(null)],
    'weir, key, cached': async () => [await cloud(), await keyOf('exact-cache')],
    'weir, accounts': async () => [await crowdedCloud(), anybody, (await accounts()).keys],
    portkey: async () => [await portkey(), toPortkey(await upstream())],
  };
  const reachWith = async (name: ModuleSubject): Promise<Reached> => {
    const environment = { WEIR_PIPELINE: moduleLists[name] };
    return [await running(async () => startWeir({ upstream: await upstream(), environment }))(), anybody];
  };
  const found = new Map<SubjectName, Promise<Subject>>();
  return (name) => {
    const known = found.get(name);
    if (known !== undefined) return known;
    const reach = isModuleSubject(name) ? reachWith(name) : reached[name]();
    const subject = reach.then(([process, headersFor, keys]) => ({
      ...process,
      name,
      headersFor,
      ...(keys !== undefined && { keys }),
    }));
    found.set(name, subject);
    return subject;
  };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** A server of the benchmark's own. */
export async function startOwn(file: string, ...args: readonly string[]): Promise<Gateway> {
  const { child, port } = await startServer({ file: join(import.meta.dirname, file), args });
  return {
    child,
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

export function bearer(token: string): HeadersFor {
  return (format) => ({
    authorization: `Bearer ${token}`,
    ...(format === 'messages' && { 'anthropic-version': '2023-06-01' }),
  });
}

function anybody(format: Format): Readonly<Record<string, string>> {
  return bearer('anything')(format);
}

function cachedForAnybody(format: Format): Readonly<Record<string, string>> {
  return { ...anybody(format), 'x-weir-pipeline': 'exact-cache' };
}

/** Portkey is told with each call who the provider is and where. */
function toPortkey(upstream: string): HeadersFor {
  return (format) => ({
    ...anybody(format),
    ...(format === 'messages' && { 'x-api-key': 'anything' }),
    'x-portkey-provider': format === 'chat' ? 'openai' : 'anthropic',
    'x-portkey-custom-host': `${upstream}/v1`,
  });
}
