import { type CredentialResolver, credentialsOf } from '../kernel/exchange.ts';
import type { Handler } from '../kernel/module.ts';
import { isResolved, type Target } from '../kernel/provider.ts';
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

  async check(target: Target, credentials: CredentialResolver, needsPrice = true): Promise<void> {
    const { directory, catalog, unknownModels } = this.#parts;
    if (!isResolved(target)) directory.resolve(target.model);
    await credentials.find(target);
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
