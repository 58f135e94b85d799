import { crc32 } from 'node:zlib';
import { scopeOf } from '../kernel/caller.ts';
import type { ClientRequest } from '../kernel/client-request.ts';
import { parentConversationOf, sessionNameOf } from '../kernel/conversation/conversation.ts';
import { endUserRefOf } from '../kernel/end-user.ts';
import type { Exchange } from '../kernel/exchange.ts';
import type { LoggedTurn } from '../kernel/ports/request-log.ts';

/** What the request log has of a call's request. */
export interface RequestFacts {
  readonly conversation: string | undefined;
  readonly parentConversation: string | undefined;
  readonly endUser: string | undefined;
  /** Undefined if the conversation has no name. */
  readonly prompt: Pick<LoggedTurn, 'tools' | 'system'> | undefined;
}

/** Read before the body of the request is freed. */
export function readRequestFacts({ clientRequest, caller, trace }: Exchange): RequestFacts {
  const conversation = trace.conversationName ?? sessionNameOf(clientRequest);
  return {
    conversation,
    parentConversation: conversation === undefined ? undefined : parentConversationOf(clientRequest),
    endUser: endUserRefOf(clientRequest, scopeOf(caller)) ?? undefined,
    prompt: conversation === undefined ? undefined : fingerprintPrompt(clientRequest),
  };
}

/** Fingerprints tell whether the next call of a conversation has the same; a cryptographic hash would take twice the time. */
function fingerprintPrompt({ fields, wire }: ClientRequest): RequestFacts['prompt'] {
  const systemFields = wire.estimates.textFields.slice(0, -1);
  const system = systemFields.map((name) => fields.bytesOf(name)).find((bytes) => bytes !== undefined);
  return {
    tools: fingerprint(fields.bytesOf('tools')),
    system: fingerprint(system && withoutAttribution(system, wire.attribution)),
  };
}

function fingerprint(bytes: Uint8Array | undefined): string {
  return bytes === undefined || bytes.byteLength <= emptyListBytes ? '' : crc32(bytes).toString(36);
}

/** `[]`, `""` */
const emptyListBytes = 2;

/** Agents identify themselves at the beginning, in a text that may differ between calls. */
function withoutAttribution(bytes: Buffer, attribution: string | undefined): Buffer {
  const at = attribution === undefined ? -1 : bytes.subarray(0, attributionBytesMax).indexOf(attribution);
  return at < 0 ? bytes : bytes.subarray(bytes.indexOf('"', at));
}

const attributionBytesMax = 200;
