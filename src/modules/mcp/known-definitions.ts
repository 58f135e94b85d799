import { z } from 'zod';
import { defineCollection, type Entry, Lru, type ModuleStore } from '../../module-api.ts';
import { limits } from './limits.ts';
import type { ListedTool } from './listed-tool.ts';

const heldSchema = z.strictObject({ digest: z.string(), description: z.string(), sinceMs: z.number() });

const toolSchema = z.strictObject({
  /** The digests of its definitions that may be used, the newest last. */
  digests: z.array(z.string()),
  description: z.string(),
  /** A changed definition that waits for a person. */
  held: heldSchema.optional(),
});

const serverSchema = z.strictObject({ tools: z.record(z.string(), toolSchema) });

type KnownServer = z.output<typeof serverSchema>;
type KnownTool = z.output<typeof toolSchema>;
type ServerEntry = Entry<KnownServer, typeof knownDefinitions.fields>;

/** The definitions of tools that an account uses, by server. */
export const knownDefinitions = defineCollection({
  name: 'definitions',
  value: serverSchema,
  fields: { heldCount: 'integer1' },
  entriesMax: limits.serversMax,
  valueBytesMax: limits.listBytesMax,
});

export interface HeldTool {
  readonly tool: string;
  readonly server: string;
  /** Of the changed definition. */
  readonly digest: string;
  readonly description: string;
  readonly descriptionBefore: string;
  readonly sinceMs: number;
}

/**
 * Remembers the definition that each tool had when the account first saw it. A changed one is held until a person approves it: a server
 * must not get trust for one thing and use it for another.
 */
export class KnownDefinitions {
  /** Approved digests by scope and server. Nothing takes an approval back, so they can't become stale. */
  readonly #approved = new Lru<ReadonlyMap<string, readonly string[]>>(limits.listsInMemoryMax);

  /** The names of the tools whose definition is held. Definitions that nobody knows yet are remembered. */
  async heldOf(
    tools: readonly ListedTool[],
    { scope, store, nowMs }: { readonly scope: string; readonly store: ModuleStore; readonly nowMs: number },
  ): Promise<ReadonlySet<string>> {
    const held = new Set<string>();
    for (const [server, ofServer] of Map.groupBy(tools, (tool) => tool.server)) {
      const key = `${scope} ${server}`;
      const unknown = ofServer.filter((tool) => !isIn(this.#approved.get(key), tool));
      if (unknown.length === 0) continue;
      const { tools: known } = await remember(server, unknown, { store, nowMs });
      const approved = new Map(Object.entries(known).map(([name, { digests }]) => [name, digests] as const));
      this.#approved.set(key, approved);
      for (const tool of unknown) if (!isIn(approved, tool)) held.add(tool.gatewayName);
    }
    return held;
  }
}

function isIn(approved: ReadonlyMap<string, readonly string[]> | undefined, tool: ListedTool): boolean {
  return approved?.get(tool.gatewayName)?.includes(tool.digest) === true;
}

/** Adds new tools, and holds changed ones. Another process may write at the same time, so it tries again. */
async function remember(
  server: string,
  tools: readonly ListedTool[],
  { store, nowMs }: { readonly store: ModuleStore; readonly nowMs: number },
): Promise<KnownServer> {
  const entries = store.collection(knownDefinitions);
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const entry = await entries.get(server);
    const before = entry?.value ?? { tools: {} };
    const after = withTools(before, tools, nowMs);
    if (after === before) return before;
    const fields = { heldCount: countHeld(after) };
    if ((await entries.put(server, { value: after, fields }, entry?.version ?? 0)) !== undefined)
      return after;
  }
  throw new Error(`the definitions of ${server} change all the time`);
}

const attemptsMax = 5;

/** The same object if nothing is new. */
function withTools(before: KnownServer, tools: readonly ListedTool[], nowMs: number): KnownServer {
  const known: Record<string, KnownTool> = { ...before.tools };
  let isChanged = false;
  let count = Object.keys(known).length;
  for (const { gatewayName, digest, description: whole } of tools) {
    const description = whole.slice(0, limits.shownDescriptionCharacters);
    const tool = Object.hasOwn(known, gatewayName) ? known[gatewayName] : undefined;
    if (tool === undefined && count >= limits.knownToolsMax) continue;
    if (tool?.digests.includes(digest) === true || tool?.held?.digest === digest) continue;
    isChanged = true;
    if (tool === undefined) count++;
    known[gatewayName] =
      tool === undefined
        ? { digests: [digest], description }
        : { ...tool, held: { digest, description, sinceMs: nowMs } };
  }
  return isChanged ? { tools: known } : before;
}

function countHeld({ tools }: KnownServer): number {
  return Object.values(tools).filter(({ held }) => held !== undefined).length;
}

/** All changed definitions of an account that wait for a person. */
export async function listHeld(store: ModuleStore): Promise<readonly HeldTool[]> {
  const { entries } = await store
    .collection(knownDefinitions)
    .query({ where: { heldCount: { gt: 0 } }, orderBy: 'heldCount', descending: true });
  return entries.flatMap(heldIn);
}

function heldIn({ key: server, value: { tools } }: ServerEntry): readonly HeldTool[] {
  return Object.entries(tools).flatMap(([tool, { held, description: descriptionBefore }]) =>
    held === undefined ? [] : [{ ...held, tool, server, descriptionBefore }],
  );
}

/** Approves a changed definition; false if it is not the one that is held. */
export async function approveHeld(
  store: ModuleStore,
  { tool: name, digest }: { readonly tool: string; readonly digest: string },
): Promise<boolean> {
  const entries = store.collection(knownDefinitions);
  const [server = ''] = name.split('__');
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const entry = await entries.get(server);
    const tool =
      entry !== undefined && Object.hasOwn(entry.value.tools, name) ? entry.value.tools[name] : undefined;
    if (entry === undefined || tool?.held?.digest !== digest) return false;
    const { digests, held } = tool;
    const approved = { digests: [...digests, digest].slice(-approvedMax), description: held.description };
    const value = { tools: { ...entry.value.tools, [name]: approved } };
    if (
      (await entries.put(server, { value, fields: { heldCount: countHeld(value) } }, entry.version)) !==
      undefined
    )
      return true;
  }
  return false;
}

/** Definitions of one tool that may be used at the same time, where a server describes it differently to different people. */
const approvedMax = 10;
