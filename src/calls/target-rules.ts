import type { KeyAccess } from '../kernel/access-rules.ts';
import type { ClientRequest } from '../kernel/client-request.ts';
import { nameOfTarget } from '../kernel/conversation/prefix.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { CredentialResolver } from '../kernel/exchange.ts';
import { isResolved, type Target } from '../kernel/provider.ts';
import type { ProviderDirectory } from '../providers/provider-directory.ts';
import { otherModelsIn } from './named-models.ts';

/** The model that a call asks for. */
interface AskedModel {
  readonly clientRequest: ClientRequest;
  readonly name: string;
  /** What the name stands for; unresolved for an alias and for names that only a module knows. */
  readonly target: Target;
  /** The models of the alias; undefined if it is none. */
  readonly alias: readonly string[] | undefined;
  readonly directory: Pick<ProviderDirectory, 'find'>;
}

/** Where the calls of a key may go: decided for each call by its key and what it asks for. */
export class TargetRules {
  readonly #access: KeyAccess;
  /** The targets of an alias that the key may use as a whole. */
  readonly #listed: ReadonlySet<string>;
  /** Models that the provider may use beside the target's. */
  readonly #others: readonly string[];
  /** Set for what is stored at a provider, for which no model runs. */
  readonly #isStored: boolean;

  private constructor(access: KeyAccess, { listed = [], others = [], isStored = false }: CallFacts) {
    this.#access = access;
    this.#listed = new Set(listed.map(nameOfTarget));
    this.#others = others;
    this.#isStored = isStored;
  }

  /** The rules of a call; undefined if its key has none. Rejects a call whose model the key may not ask for. */
  static of(access: KeyAccess | undefined, asked: AskedModel): TargetRules | undefined {
    if (access === undefined) return undefined;
    const { clientRequest, name, target, alias, directory } = asked;
    const others = access.limitsModels
      ? [...otherModelsIn(clientRequest), ...(clientRequest.relay?.models ?? [])]
      : [];
    const members = alias?.flatMap((member) => directory.find(member) ?? []) ?? [];
    const rules = new TargetRules(access, {
      listed: access.listsModel(name) ? members : [],
      others,
      isStored: isStored(clientRequest),
    });
    const refusals = (alias === undefined ? [target] : members).map((one) => rules.refusal(one, name));
    const [first] = refusals;
    if (first !== undefined && refusals.every((refusal) => refusal !== undefined)) throw first;
    return rules;
  }

  /** Why the call may not go to this target. `asked` is the name that the client knows it by. */
  refusal(target: Target, asked?: string): GatewayError | undefined {
    const access = this.#access;
    const { provider } = target;
    if (isResolved(target) && !access.allowsProvider(provider.name))
      return notAllowedError('provider', provider.name);
    if (!this.#isStored && !access.allowsModel(target) && !this.#listed.has(nameOfTarget(target)))
      return notAllowedError('model', asked ?? nameOfTarget(target));
    if (this.#others.length === 0) return undefined;
    const other = this.#others.find((model) => !access.allowsModel({ provider, model: bareName(model) }));
    return other === undefined ? undefined : notAllowedError('model', other);
  }

  /** The same credentials, for the allowed targets only: every attempt needs its credential. */
  limit(credentials: CredentialResolver): CredentialResolver {
    return {
      targetsDigest: this.#access.modelsDigest,
      find: (target, which) => {
        const refusal = this.refusal(target);
        if (refusal !== undefined) throw refusal;
        return credentials.find(target, which);
      },
    };
  }
}

function isStored({ relay }: ClientRequest): boolean {
  return relay?.route.storedAnswer !== undefined || relay?.route.storedObject !== undefined;
}

interface CallFacts {
  readonly listed?: readonly Target[];
  readonly others?: readonly string[];
  readonly isStored?: boolean;
}

/** Says what was asked for, and nothing about what is allowed. */
export function notAllowedError(kind: 'model' | 'provider', name: string): GatewayError {
  return new GatewayError(
    `${kind}_not_allowed`,
    `this API key may not use the ${kind} "${name}"; GET /v1/models lists what it may use`,
    kind === 'model' ? { param: 'model' } : {},
  );
}

/** Google's SDKs write the model as a resource. */
function bareName(name: string): string {
  return name.replace(/^models\//, '');
}
