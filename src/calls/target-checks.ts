import { GatewayError } from '../kernel/errors.ts';
import { type CredentialResolver, credentialsOf } from '../kernel/exchange.ts';
import type { Handler } from '../kernel/module.ts';
import { isResolved, type Target } from '../kernel/provider.ts';
import type { RelayRequest } from '../kernel/relay.ts';
import type { ModelCatalog } from '../providers/catalog/model-catalog.ts';
import { requirePrice, type UnknownModelPolicy } from '../providers/catalog/require-price.ts';
import type { ProviderDirectory } from '../providers/provider-directory.ts';

export interface TargetCheckParts {
  readonly directory: ProviderDirectory;
  readonly catalog: ModelCatalog;
  readonly unknownModels: UnknownModelPolicy;
}

/** Rejects calls whose target is unknown, has no credential, or has no price where one is required. */
export class TargetChecks {
  readonly #parts: TargetCheckParts;

  constructor(parts: TargetCheckParts) {
    this.#parts = parts;
  }

  /** `relay` is set for a call to an endpoint without a canonical form. Undefined if everything is in memory. */
  check(target: Target, credentials: CredentialResolver, relay?: RelayRequest): Promise<void> | undefined {
    if (!isResolved(target)) this.#parts.directory.resolve(target.model);
    if (relay === undefined) requireChatModel(target);
    const credential = credentials.find(target);
    if (credential instanceof Promise) return credential.then(() => this.#checkPrice(target, relay));
    this.#checkPrice(target, relay);
    return undefined;
  }

  #checkPrice(target: Target, relay: RelayRequest | undefined): void {
    const { catalog, unknownModels } = this.#parts;
    const needsPrice = relay === undefined || relay.route.price === 'tokens';
    if (needsPrice && unknownModels === 'refuse')
      requirePrice(catalog.priced(target.provider, target.model), target, unknownModels);
  }

  /** An upstream that checks the target that modules chose, before there is an attempt. */
  before(upstream: Handler): Handler {
    return async (exchange) => {
      await this.check(exchange.target, credentialsOf(exchange));
      return upstream(exchange);
    };
  }
}

function requireChatModel({ provider: { hasEndpointsOnly, title, endpoints = {} } }: Target): void {
  if (hasEndpointsOnly !== true) return;
  throw new GatewayError(
    'invalid_request',
    `${title} has no chat models; it has the endpoints ${Object.keys(endpoints).join(', ')}`,
    { param: 'model' },
  );
}
