import { isJsonObject } from '../../lib/json.ts';
import { scopeOf } from '../caller.ts';
import type { ClientRequest } from '../client-request.ts';
import { endUserRefOf } from '../end-user.ts';
import { GatewayError } from '../errors.ts';
import type { Exchange } from '../exchange.ts';
import { essentialFieldsOf, type Message } from '../message.ts';
import { digest, digestOfMessage, digestOfSystem, digestOfText } from './digest.ts';

/** What identifies a conversation and seeds its digests. */
export interface ConversationIdentity {
  readonly name: string;
  readonly root: string;
}

/** The conversation of a call up to this point: a hash chain over its messages. */
export class Conversation implements ConversationIdentity {
  /** The client's name for it, its session marker, or a name derived from the start of the conversation. */
  readonly name: string;
  /** The same for all branches of a conversation. */
  readonly root: string;
  readonly #messages: readonly Message[];
  readonly #digests: string[];

  constructor({ name, root }: ConversationIdentity, messages: readonly Message[]) {
    this.name = name;
    this.root = root;
    this.#messages = messages;
    this.#digests = cachedDigestsOf(messages, root);
  }

  /**
   * A digest of everything before the message at this index, or of the whole conversation without an index. Two
   * conversations have different digests from the point where they diverge.
   */
  digestAt(index: number = this.#messages.length): string {
    for (let next = this.#digests.length; next <= index; next++) {
      const message = this.#messages[next - 1];
      if (message === undefined) throw new Error(`there is no message ${index - 1} in this conversation`);
      this.#digests.push(digestAfter(this.#digests[next - 1] ?? this.root, message));
    }
    return this.#digests[index] ?? this.root;
  }
}

/** Digests are cached, since many functions use the same messages. */
const digestCache = new WeakMap<readonly Message[], string[]>();

function cachedDigestsOf(messages: readonly Message[], root: string): string[] {
  const known = digestCache.get(messages);
  if (known?.[0] === root) return known;
  const places = [root];
  digestCache.set(messages, places);
  return places;
}

/** Digests after a message by the digest before it, since each call repeats the messages of the last one. */
const digestsAfter = new WeakMap<Message, Map<string, string>>();
/** A message has a place in the client's conversation, and in what each editing module makes of it. */
const digestsAfterMax = 8;

function digestAfter(before: string, message: Message): string {
  const known = digestsAfter.get(message) ?? new Map<string, string>();
  const cached = known.get(before);
  if (cached !== undefined) return cached;
  if (known.size === digestsAfterMax) known.clear();
  const after = digestOfText(`${before}${digestOfMessage(message)}`);
  digestsAfter.set(message, known.set(before, after));
  return after;
}

const conversationHeader = 'x-weir-conversation';
const conversationNamePattern = /^[A-Za-z0-9._:-]{1,128}$/;

/** The name that the client supplies, in a header of ours or as its own session; undefined if there is none, or an invalid one. */
export function sessionNameOf(clientRequest: ClientRequest): string | undefined {
  const named = clientRequest.header(conversationHeader) ?? clientRequest.wire.session?.(clientRequest);
  return named !== undefined && conversationNamePattern.test(named) ? named : undefined;
}

/** The same, but an invalid header is an error; undefined if the name has to be derived. */
export function suppliedConversationName(clientRequest: ClientRequest): string | undefined {
  const name = sessionNameOf(clientRequest);
  if (name !== undefined || clientRequest.header(conversationHeader) === undefined) return name;
  throw new GatewayError(
    'invalid_request',
    `${conversationHeader} must be 1 to 128 characters: letters, digits and . _ : -`,
    { param: conversationHeader },
  );
}

/** The conversation of the agent that started this one as a subagent; undefined for any other call. */
export function parentConversationOf(clientRequest: ClientRequest): string | undefined {
  if (clientRequest.header(conversationHeader) !== undefined) return undefined;
  const named = clientRequest.wire.parentSession?.(clientRequest);
  return named !== undefined && conversationNamePattern.test(named) ? named : undefined;
}

/** Computed from the client's request, before any module changes it. */
export function identifyConversation(exchange: Exchange): ConversationIdentity {
  const { caller, clientRequest, request } = exchange;
  const person = endUserRefOf(clientRequest, scopeOf(caller));
  const name = suppliedConversationName(clientRequest) ?? deriveConversationName(exchange, person);
  const system = digestOfSystem(request, clientRequest.wire.attribution);
  // An application may use one name for many end users, who must not share decisions.
  return { name, root: digest(person === null ? [name, system] : [name, system, person]) };
}

/** Hashes the caller, the end user, the instructions, and everything before the first answer. */
function deriveConversationName(exchange: Exchange, person: string | null): string {
  const { caller, clientRequest, request } = exchange;
  const first = request.messages.findIndex(({ role }) => role === 'assistant');
  const start = first < 0 ? request.messages : request.messages.slice(0, first);
  const began = providerConversationId(exchange) ?? [
    digestOfSystem(request, clientRequest.wire.attribution),
    start.map(digestOfMessage),
  ];
  return `c-${digest([scopeOf(caller), person, began])}`;
}

/**
 * Earlier turns that the request only refers to by id: then only the newest part of the conversation is visible here.
 */
export function providerConversationId({ clientRequest, request }: Exchange): string | undefined {
  const { previous_response_id: previous, conversation } = essentialFieldsOf(
    request,
    clientRequest.wire.name,
  );
  const thread: unknown = 'thread' in request ? request.thread : undefined;
  const continued = isJsonObject(thread) ? thread.previous_message_id : undefined;
  const named = isJsonObject(conversation) ? conversation.id : (conversation ?? previous ?? continued);
  return typeof named === 'string' ? named : undefined;
}
