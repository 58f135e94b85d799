import { type Acceptance, type AcceptanceRule, acceptanceFor } from './acceptance.ts';
import type { HeaderList } from './headers.ts';
import type { ChatRequest, ReplyEvent } from './message.ts';
import type { Secret } from './secret.ts';
import type { KeyForm, Sign } from './signing.ts';
import type { ProviderFormat } from './wire-format.ts';

/** Who answers. All there is to know about a vendor is data in one of these. */
export interface Provider {
  readonly name: string;
  /** For people, in messages and lists. */
  readonly title: string;
  /** As the vendor's own SDK writes it; what differs from customer to customer stands in braces. */
  readonly baseUrl: string;
  /** The formats it speaks, the preferred one first. */
  readonly wires: readonly ProviderFormat[];
  /** The same for one model, where that isn't offered in all of them. */
  readonly wiresFor?: (model: string) => readonly ProviderFormat[] | undefined;
  /** What its models take of requests that are written for them here. */
  readonly accepts?: readonly AcceptanceRule[];
  /** How its keys begin, where they begin in a way of their own. */
  readonly keyPrefixes: readonly string[];
  /** Works without a credential. */
  readonly keyless: boolean;
  /** How names of its models begin, for models that no catalogue lists yet. */
  readonly modelPrefixes: readonly string[];
  /** Models whose own names begin with the provider's and a slash. */
  readonly ownNames?: RegExp;
  /** Its id in the price data, where that knows it. */
  readonly priceId?: string;
  /** Runs on machines of the operator's own: calls cost nothing. */
  readonly free?: true;
  /** Says in its answers what they cost, in dollars. */
  readonly reportsCost?: true;
  /** What was asked for is what is billed: answers name models without what their price depends on. */
  readonly billsRequestedModel?: true;
  /** How streams come to tell their usage, in formats where that may have to be asked for. Undefined: nobody knows. */
  readonly streamUsage?: StreamUsage;
  authorize(credential: Secret): HeaderList;
  /** In place of `authorize`, where who pays decides where a call goes, or signs all of it. */
  readonly sign?: Sign;
  /** The addresses that its calls may go to, where there is more than one. */
  readonly sites?: RegExp;
  /** The customer's parts of such an address that the operator allows, all where it is undefined; the first is the usual one. */
  readonly locations?: readonly string[];
  /** How its keys are written, where they are more than one word. */
  readonly keyForm?: KeyForm;
  /** Its models are those of others: they are asked for with its own name in front alone. */
  readonly requiresProviderPrefix?: true;
  /** Which models stand behind names that customers gave them. */
  readonly deployments?: ReadonlyMap<string, string>;
  /** It has no models under names of their own. */
  readonly hasCustomerModelNames?: true;
  /** The version of its API that calls ask for, where the operator set one. */
  readonly apiVersion?: string;
  /** Its errors are worded in none of the formats that it speaks. */
  readonly hasOwnErrorFormat?: true;
  /** Counts the tokens of calls that aren't made, in its preferred format. */
  readonly hasTokenCounting?: true;
  /** Where it has OpenAI's embeddings API, below its base address; `/embeddings` where that isn't said. */
  readonly embeddingsPath?: string;
  /** A call that costs nothing and needs a key that is right; below its base address. */
  readonly keyTest?: KeyTest;
  /** Answers by itself instead of over the network. */
  readonly answerLocally?: (request: ChatRequest, signal: AbortSignal) => AsyncIterable<ReplyEvent>;
  /** Counts the tokens of a call by itself. */
  readonly countTokens?: (request: ChatRequest) => number;
}

interface KeyTest {
  readonly path: string;
  readonly headers?: HeaderList;
  /** With which a wrong key is refused, besides 401 and 403. */
  readonly wrongKeyStatus?: number;
}

/** `unasked` tells by itself, and may refuse the question; `asked` takes the question, and tells nothing without it. */
export type StreamUsage = 'asked' | 'unasked';

/** Where an exchange goes. */
export interface Target {
  readonly provider: Provider;
  /** The model's name as the provider knows it. */
  readonly model: string;
}

/** The model that is meant by a name, which may be one that the customer gave it. */
export function underlyingModelOf({ provider, model }: Target): string {
  return provider.deployments?.get(model) ?? model;
}

/** The formats in which a target's model can be asked, the preferred one first. */
export function wiresOf(target: Target): readonly ProviderFormat[] {
  return target.provider.wiresFor?.(underlyingModelOf(target)) ?? target.provider.wires;
}

/** What a target's model takes. */
export function acceptanceOf(target: Target): Acceptance {
  return acceptanceFor(underlyingModelOf(target), target.provider.accepts);
}

/** The format in which a target is asked: the client's own where that can be. */
export function chooseWire(target: Target, own: ProviderFormat): ProviderFormat | undefined {
  const wires = wiresOf(target);
  return wires.includes(own) ? own : wires[0];
}
