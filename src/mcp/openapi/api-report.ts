/** What an API becomes, for the person who adds it. */
export interface ApiReport {
  readonly title: string;
  readonly version: string;
  readonly baseUrl: string;
  readonly tools: number;
  /** Operations that are no tools, at most `limits.leftOutMax`. */
  readonly leftOut: readonly LeftOutOperation[];
  readonly leftOutCount: number;
  /** Servers in the document that are never called. */
  readonly ignoredServers: readonly string[];
  /** How the API says that requests prove who makes them. */
  readonly credentials: readonly ApiCredential[];
}

export interface LeftOutOperation {
  /** Method and path. */
  readonly operation: string;
  readonly reason: string;
}

export interface ApiCredential {
  /** The name in the document. A secret that is stored under this name goes where the document says. */
  readonly scheme: string;
  readonly kind: 'key' | 'bearer' | 'basic' | 'unsupported';
  /** Such as `header X-Api-Key`. */
  readonly place: string;
}
