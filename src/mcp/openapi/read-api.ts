import { EgressError } from '../../egress/egress-error.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { EgressFetch } from '../../kernel/ports/fetch.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ApiReport } from './api-report.ts';
import { chooseBaseUrl } from './base-url.ts';
import { type ApiDefinition, compileApi } from './compile-api.ts';
import { limits } from './limits.ts';
import { documentError, parseDocument } from './parse-document.ts';
import { reduceDocument } from './reduce-document.ts';

/** What a person gives to add an API. */
export interface ApiSource {
  /** JSON or YAML as a text, or an object; or the address that it is fetched from, once. */
  readonly document: { readonly content: string | JsonObject } | { readonly url: string };
  /** The first server of the document by default. */
  readonly baseUrl?: string | undefined;
  /** Values of the variables of that server. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  readonly operations: ApiDefinition['operations'];
}

export interface ReadApi {
  /** What is stored. */
  readonly definition: ApiDefinition;
  readonly report: ApiReport;
}

/** Reads and checks the description of an API before it is stored. Throws if no tool can be made from it. */
export async function readApi(source: ApiSource, egressFetch: EgressFetch): Promise<ReadApi> {
  const { document: given, operations, variables } = source;
  const documentUrl = 'url' in given ? given.url : undefined;
  const document = parseDocument('url' in given ? await fetchText(given.url, egressFetch) : given.content);
  const baseUrl = chooseBaseUrl(document, { baseUrl: source.baseUrl, documentUrl, variables });
  const { report } = compileApi({ document, baseUrl, operations });
  if (report.tools === 0) throw documentError(`has no operation that can be a tool${firstReason(report)}`);
  return { definition: { document: reduceDocument(document, operations), baseUrl, operations }, report };
}

function firstReason({ leftOut: [first] }: ApiReport): string {
  return first === undefined ? '' : `; ${first.operation}: ${first.reason}`;
}

async function fetchText(url: string, egressFetch: EgressFetch): Promise<string> {
  try {
    const response = await egressFetch(url, {
      headers: { accept: 'application/json, application/yaml;q=0.9, */*;q=0.5' },
      timeoutMs: limits.fetchMs,
      maxBytes: limits.jsonCharactersMax,
    });
    if (!response.ok)
      throw documentError(`could not be fetched: ${new URL(url).origin} answered ${response.status}`);
    return await response.text();
  } catch (error) {
    if (GatewayError.is(error)) throw error;
    if (error instanceof EgressError) throw documentError(`could not be fetched: ${error.message}`, error);
    throw documentError('could not be fetched', error);
  }
}
