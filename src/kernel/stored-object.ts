import type { JsonObject } from '../lib/json.ts';
import type { BatchEstimate, BatchFormat, BatchReservation } from './batch.ts';

/** What a route does with objects that a provider stores for an account, such as files. */
export interface StoredObjectRoute {
  /** The objects that are listed together. */
  readonly list: StoredObjectList;
  /** `read` answers with the object itself, `content` with what is in it. */
  readonly action: 'create' | 'read' | 'content' | 'delete' | 'list';
  /** Whether an answer names an address at the provider for the bytes that follow. */
  readonly namesUploadAddress?: true;
}

/** The objects of one kind in one API. */
export interface StoredObjectList {
  /** Its name in the database. */
  readonly name: string;
  /** In errors, such as `file`. */
  readonly title: string;
  /** The id that begins the rest of a path. */
  idOf(rest: string): string;
  /** The object in an answer; undefined if there is none. */
  objectIn(answer: JsonObject): StoredObject | undefined;
  /** The objects of a provider's list, where these may have results that are billed. */
  objectsIn?(answer: JsonObject): readonly JsonObject[];
  /** What a client asks for. Throws if that makes no sense. */
  readQuery(query: URLSearchParams): StoredObjectQuery;
  encodePage(page: StoredObjectPage): JsonObject;
  /** The field with an address at the provider that clients go to: they get the gateway's in its place. */
  readonly addressField?: string;
  /** If the objects are batches. */
  readonly batch?: BatchFormat;
  /** A file with results that the provider has not described. */
  encodeResultFile?(id: string): JsonObject;
  /** If the objects are files that batches write: the list of these batches. */
  readonly batches?: () => StoredObjectList;
  /** If the objects are batches of files: the list of these files. */
  readonly files?: StoredObjectList;
}

/** An object as its provider describes it. */
export interface StoredObject {
  readonly id: string;
  readonly value: JsonObject;
  /** A value that lists are filtered by. */
  readonly purpose?: string | undefined;
}

export interface StoredObjectQuery {
  readonly limit: number;
  /** The id of the last object of the page before. */
  readonly after?: string | undefined;
  /** The id of the first object of the page behind. */
  readonly before?: string | undefined;
  readonly isOldestFirst?: boolean | undefined;
  readonly purpose?: string | undefined;
  /** Only these, on one page. */
  readonly ids?: readonly string[];
}

export interface StoredObjectPage {
  readonly objects: readonly StoredObject[];
  readonly hasMore: boolean;
}

/** Where an object was made. */
export interface StoredObjectOrigin {
  /** The provider that has it. */
  readonly provider: string;
  /** The name of the provider key that it was made with; empty without one. */
  readonly keyName: string;
}

/** What the gateway knows of an object besides. */
export interface StoredObjectFacts {
  /** For a file with the calls of a batch. */
  readonly estimate?: BatchEstimate | undefined;
  /** For a file with results: the id of its batch. */
  readonly resultsOf?: string | undefined;
  /** For a batch. */
  readonly reservation?: BatchReservation | undefined;
}
