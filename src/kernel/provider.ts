import type { HeaderList } from '../lib/headers.ts';
import type { Secret } from '../lib/secret.ts';
import { type Acceptance, type AcceptanceRule, acceptanceFor } from './acceptance.ts';
import type { ChatRequest, ReplyEvent } from './message.ts';
import type { EndpointForm } from './relay.ts';
import type { KeyForm, Sign } from './signing.ts';
import type { ProviderFormat } from './wire-format.ts';

/** A company or server that serves models, described entirely by this data. */
export interface Provider {
  readonly name: string;
  /** The display name. */
  readonly title: string;
  /** The built-in provider that it is like, if it has another name. */
  readonly kind?: string;
  /** Set if an account has defined it: no other provider has the same, and it is another one after each change. */
  readonly ownId?: string;
  /** What the stored keys for it are filed under, if not under its name. */
  readonly keySlot?: string;
  /** Its name in the conventions of OpenTelemetry, if that differs. */
  readonly telemetryName?: string;
  /** The base URL, as the vendor's SDK has it; parts that differ by customer are in braces. */
  readonly baseUrl: string;
  /** The formats that it speaks, the preferred one first. */
  readonly wires: readonly ProviderFormat[];
  /** The formats of one model, if it isn't offered in all of them. */
  readonly wiresFor?: (model: string) => readonly ProviderFormat[] | undefined;
  /** What its models accept of encoded requests. */
  readonly accepts?: readonly AcceptanceRule[];
  /** The prefix of its keys, if they have one. */
  readonly keyPrefixes: readonly string[];
  /** Works without a credential. */
  readonly keyless: boolean;
  /** Prefixes of its model names, for models that no catalog lists yet. */
  readonly modelPrefixes: readonly string[];
  /** Models whose own names start with the provider's and a slash. */
  readonly ownNames?: RegExp;
  /** Its id in the price data, if listed. */
  readonly priceId?: string;
  /** Runs on the operator's own machines: calls cost nothing. */
  readonly free?: true;
  /** Reports the cost in its answers, in dollars. */
  readonly reportsCost?: true;
  /** The requested model is billed: answers omit parts of the name that the price depends on. */
  readonly billsRequestedModel?: true;
  /** How streams report usage, in formats where that may be opt-in. Undefined if unknown. */
  readonly streamUsage?: StreamUsage;
  /** The headers with the credential; `headers` are those that the request has already. */
  authorize(credential: Secret, headers?: HeaderList): HeaderList;
  /** Replaces `authorize` if the credential decides where a call goes, or signs all of it. */
  readonly sign?: Sign;
  /** The addresses that its calls may go to, if there are several. */
  readonly sites?: RegExp;
  /** The customer parts of an address that the operator allows, all if undefined; the first is the default. */
  readonly locations?: readonly string[];
  /** The region that answers calls of a credential, if that is known. */
  readonly regionOf?: (target: Target, credential: Secret) => string | undefined;
  /** The form of its keys, if they are structured. */
  readonly keyForm?: KeyForm;
  /** It serves models of other providers, which are found only with its name as a prefix. */
  readonly requiresProviderPrefix?: true;
  /** The models behind deployment names of customers. */
  readonly deployments?: ReadonlyMap<string, string>;
  /** It has no models under names of their own. */
  readonly hasCustomerModelNames?: true;
  /** The API version for calls, if the operator set one. */
  readonly apiVersion?: string;
  /** Headers that the operator adds to every request, in place of others of the same names. */
  readonly headers?: HeaderList;
  readonly timeouts?: ProviderTimeouts;
  /** The models that the operator lets it serve; all if undefined. */
  readonly offered?: OfferedModels;
  /** Its errors use none of the formats that it speaks. */
  readonly hasOwnErrorFormat?: true;
  /** It accepts calls over WebSocket, one at a time or one for each lane, in the formats that have a socket form. */
  readonly callSockets?: 'sequential' | 'lanes';
  /** Its models accept `prompt_cache_key`, which sends calls with the same key to the same cache. */
  readonly takesCacheKey?: true;
  /** It stores message threads. */
  readonly hasThreads?: true;
  /** Counts tokens without making a call, in its preferred format. */
  readonly hasTokenCounting?: true;
  /** Its endpoints without a canonical form, by the name of their relay route: the paths below its base URL. */
  readonly endpoints?: Readonly<Record<string, string>>;
  /** How these differ from the API of the route, by the same names. */
  readonly endpointForms?: Readonly<Record<string, EndpointForm>>;
  /** It has no chat models, only `endpoints`. */
  readonly hasEndpointsOnly?: true;
  /** A free call that needs a valid key; below its base URL. */
  readonly keyTest?: KeyTest;
  /** Answers locally instead of over the network. */
  readonly answerLocally?: (request: ChatRequest, signal: AbortSignal) => AsyncIterable<ReplyEvent>;
  /** Counts the tokens of a call locally. */
  readonly countTokens?: (request: ChatRequest) => number;
}

/** Time limits that the operator has set; the others are those of the instance. */
export interface ProviderTimeouts {
  /** For a connection. */
  readonly connectMs?: number | undefined;
  /** Until the response begins. */
  readonly answerMs?: number | undefined;
  /** Between two parts of a response. */
  readonly silenceMs?: number | undefined;
}

export interface OfferedModels {
  /** As the operator wrote them: names, and patterns with `*`. */
  readonly patterns: readonly string[];
  has(model: string): boolean;
}

interface KeyTest {
  readonly path: string;
  readonly headers?: HeaderList;
  /** Statuses that reject a wrong key, besides 401 and 403. */
  readonly wrongKeyStatus?: number;
}

/**
 * `unasked` reports usage by itself, and may reject the option; `asked` accepts the option, and reports nothing
 * without it.
 */
export type StreamUsage = 'asked' | 'unasked';

/** A provider and a model. */
export interface Target {
  readonly provider: Provider;
  /** The model's name at the provider. */
  readonly model: string;
}

/** The target of a model name that no provider knows, such as a name that only a module resolves. */
export function unresolvedTarget(model: string): Target {
  return { provider: unresolvedProvider, model };
}

/** The built-in provider whose facts hold for this one, or its own name. */
export function kindOf({ kind, name }: Provider): string {
  return kind ?? name;
}

/** Tells providers apart, also those to which accounts have given the same name. */
export function idOf({ ownId, name }: Provider): string {
  return ownId ?? name;
}

/** The name in metrics, whose labels accounts must not choose. */
export function metricNameOf({ ownId, name }: Provider): string {
  return ownId === undefined ? name : 'account';
}

/** The name of a target's model in metrics. */
export function metricModelOf({ provider: { ownId }, model }: Target): string {
  return ownId === undefined ? model : 'other';
}

export function keySlotOf({ keySlot, name }: Provider): string {
  return keySlot ?? name;
}

/** Finds targets among the providers of the instance and those of an account. */
export interface TargetFinder {
  find(model: string): Target | undefined;
  /** The providers that the account has defined. */
  readonly own: readonly Provider[];
}

/** Whether the operator lets the provider serve a model. */
export function isOffered({ offered }: Provider, model: string): boolean {
  return offered?.has(model) ?? true;
}

export function isResolved({ provider }: Target): boolean {
  return provider !== unresolvedProvider;
}

const unresolvedProvider: Provider = {
  name: 'unresolved',
  title: 'an unresolved provider',
  baseUrl: '',
  wires: [],
  keyPrefixes: [],
  keyless: false,
  modelPrefixes: [],
  authorize: () => [],
};

/** The model behind a name, which may be a customer's deployment name. */
export function underlyingModelOf({ provider, model }: Target): string {
  return provider.deployments?.get(model) ?? model;
}

/** The formats for a target's model, the preferred one first. */
export function wiresOf(target: Target): readonly ProviderFormat[] {
  return target.provider.wiresFor?.(underlyingModelOf(target)) ?? target.provider.wires;
}

/** What a target's model accepts. */
export function acceptanceOf(target: Target): Acceptance {
  return acceptanceFor(underlyingModelOf(target), target.provider.accepts);
}

/** Whether a target accepts the reasoning settings of a request as the client sent them. */
export function takesSettings(target: Target, { output_config: output, thinking }: ChatRequest): boolean {
  if (output?.effort == null && thinking === undefined) return true;
  const { rejectedEfforts, rejectedThinking } = acceptanceOf(target);
  return !rejectedEfforts.includes(output?.effort ?? '') && !rejectedThinking.includes(thinking?.type ?? '');
}

/** The format for a target: the client's own if possible. */
export function chooseWire(target: Target, own: ProviderFormat): ProviderFormat | undefined {
  const wires = wiresOf(target);
  return wires.includes(own) ? own : wires[0];
}
