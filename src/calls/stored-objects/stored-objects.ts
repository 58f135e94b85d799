import { z } from 'zod';
import { defineCollection } from '../../kernel/define-collection.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { Collection, Entries, Entry } from '../../kernel/ports/collections.ts';
import type { ModuleStores } from '../../kernel/ports/module-store.ts';
import type {
  StoredObject,
  StoredObjectFacts,
  StoredObjectList,
  StoredObjectOrigin,
  StoredObjectPage,
  StoredObjectQuery,
} from '../../kernel/stored-object.ts';
import type { Clock } from '../../lib/clock.ts';
import type { JsonObject } from '../../lib/json.ts';
import { limits } from '../limits.ts';

/** An object that an account made at a provider. */
export interface KnownObject extends StoredObject, StoredObjectOrigin, StoredObjectFacts {}

interface KnownObjectPage extends StoredObjectPage {
  readonly objects: readonly KnownObject[];
}

interface StoredObjectsParts {
  readonly stores: ModuleStores;
  readonly clock: Clock;
}

const fields = { list: 'text1', purpose: 'text2', position: 'integer1' } as const;
type Fields = typeof fields;

interface Value extends StoredObjectFacts {
  readonly id: string;
  readonly provider: string;
  readonly keyName: string;
  readonly object: JsonObject;
}

const callTokensSchema = z.strictObject({
  calls: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  unlimitedAnswers: z.number(),
});

const valueSchema: z.ZodType<Value> = z.strictObject({
  id: z.string(),
  provider: z.string(),
  keyName: z.string(),
  object: z.record(z.string(), z.unknown()),
  estimate: z
    .strictObject({
      calls: z.number(),
      nanoUsd: z.number(),
      models: z.array(z.string()),
      fault: z.string().optional(),
      unpriced: z.strictObject({ short: callTokensSchema, long: callTokensSchema }).optional(),
    })
    .optional(),
  resultsOf: z.string().optional(),
  reservation: z
    .strictObject({
      id: z.string(),
      nanoUsd: z.number(),
      keyIds: z.array(z.string()),
      accountId: z.string(),
      keyId: z.string(),
      tags: z.record(z.string(), z.string()),
      hourlyBudgets: z.array(z.strictObject({ budgetId: z.string(), value: z.string() })).optional(),
      callPath: z.string(),
      isSettled: z.boolean(),
      billedNanoUsd: z.number().optional(),
    })
    .optional(),
});

/** Sealed, since files are named by people. */
export const storedObjectCollection: Collection<Value, Fields> = defineCollection({
  name: 'stored-objects',
  value: valueSchema,
  fields,
  sealed: true,
  lifeSeconds: limits.storedObjectLifeSeconds,
  bytesMax: limits.storedObjectBytesMax,
});

/** The files and batches that accounts made at providers: which provider has them, and which of its keys. */
export class StoredObjects {
  readonly #parts: StoredObjectsParts;
  #lastPosition = 0;

  constructor(parts: StoredObjectsParts) {
    this.#parts = parts;
  }

  async find(scope: string, list: StoredObjectList, id: string): Promise<KnownObject | undefined> {
    if (!isId(id)) return undefined;
    const entry = await this.#entries(scope).get(keyOf(list, id));
    return entry && knownObjectOf(entry);
  }

  /** Stores an object, or its new state, and returns it with the facts that were known before. */
  async put(
    scope: string,
    list: StoredObjectList,
    { id, value, purpose, provider, keyName, ...facts }: KnownObject,
  ): Promise<KnownObject> {
    const object = { id, value, purpose, provider, keyName };
    if (!isId(id)) return { ...object, ...facts };
    const entries = this.#entries(scope);
    const key = keyOf(list, id);
    for (;;) {
      const known = await entries.get(key);
      const { estimate, resultsOf, reservation } = known?.value ?? {};
      const merged = definedFacts([{ estimate, resultsOf, reservation }, facts]);
      const content: Value = { id, provider, keyName, object: value, ...merged };
      if (known !== undefined && JSON.stringify(known.value) === JSON.stringify(content))
        return { ...object, ...merged };
      const position = known?.fields.position ?? this.#nextPosition();
      const entry = { value: content, fields: { list: list.name, purpose: purpose ?? null, position } };
      // Another replica may have stored what this one has not read.
      if ((await entries.put(key, entry, known?.version ?? 0)) !== undefined) return { ...object, ...merged };
    }
  }

  async delete(scope: string, list: StoredObjectList, id: string): Promise<void> {
    if (isId(id)) await this.#entries(scope).delete(keyOf(list, id));
  }

  /** A page of the objects of an account, the newest first unless the query says otherwise. */
  async list(
    scope: string,
    list: StoredObjectList,
    { limit, after, before, isOldestFirst = false, purpose, ids }: StoredObjectQuery,
  ): Promise<KnownObjectPage> {
    if (ids !== undefined) {
      const found = await Promise.all(ids.map((id) => this.find(scope, list, id)));
      return { objects: found.filter((object) => object !== undefined), hasMore: false };
    }
    const cursor = after ?? before;
    const position = cursor === undefined ? undefined : await this.#positionOf(scope, list, cursor);
    // A page in front of an object is read backwards, from that object.
    const isBackwards = after === undefined && before !== undefined;
    const isAscending = isOldestFirst !== isBackwards;
    const beyond = position === undefined ? undefined : isAscending ? { gt: position } : { lt: position };
    const { entries, next } = await this.#entries(scope).query({
      where: { list: list.name, purpose, position: beyond },
      orderBy: 'position',
      descending: !isAscending,
      limit,
    });
    const objects = entries.map(knownObjectOf);
    return { objects: isBackwards ? objects.toReversed() : objects, hasMore: next !== undefined };
  }

  async #positionOf(scope: string, list: StoredObjectList, id: string): Promise<number> {
    const entry = isId(id) ? await this.#entries(scope).get(keyOf(list, id)) : undefined;
    const position = entry?.fields.position;
    if (position != null) return position;
    throw new GatewayError('invalid_request', `the list begins at a ${list.title} that does not exist`);
  }

  /** Microseconds, so that objects made in one millisecond differ. */
  #nextPosition(): number {
    this.#lastPosition = Math.max(this.#lastPosition + 1, this.#parts.clock.now() * 1000);
    return this.#lastPosition;
  }

  #entries(scope: string): Entries<Value, Fields> {
    return this.#parts.stores.store(storedObjectCollection.name, scope).collection(storedObjectCollection);
  }
}

function knownObjectOf({ value, fields: { purpose } }: Entry<Value, Fields>): KnownObject {
  const { object, ...rest } = value;
  return { ...rest, value: object, purpose: purpose ?? undefined };
}

/** The later ones win. */
function definedFacts(all: readonly StoredObjectFacts[]): StoredObjectFacts {
  return Object.fromEntries(all.flatMap(Object.entries).filter(([, fact]) => fact !== undefined));
}

function keyOf({ name }: StoredObjectList, id: string): string {
  return `${name}:${id}`;
}

/** Others would not fit into a path. */
function isId(id: string): boolean {
  return /^[\w.~-]{1,150}$/.test(id);
}
