import type { ProviderKeyVault } from '../../accounts/provider-key-vault.ts';
import type { AccountConfigurations } from '../../calls/account-configurations.ts';
import { OwnProviders } from '../../calls/own-providers/own-providers.ts';
import { ownAddressFault, ownProviderRefusal, ownProviderRules } from '../own-provider-rules.ts';
import type { Settings } from '../settings.ts';
import type { ProvidersPart } from './providers.ts';
import type { Stores } from './stores.ts';

interface OwnProviderParts {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly providers: Pick<ProvidersPart, 'catalog' | 'directory'>;
  readonly vault: ProviderKeyVault;
  readonly configurations: AccountConfigurations;
}

/** The providers of accounts, by the rules of the operator. */
export function createOwnProviders(parts: OwnProviderParts): OwnProviders {
  const { settings, stores, providers, vault, configurations } = parts;
  return new OwnProviders({
    table: stores.database.configurations,
    configurations,
    vault,
    versions: stores.shared.versions,
    clock: stores.clock,
    catalog: providers.catalog,
    instance: providers.directory,
    refusal: ownProviderRefusal(settings),
    rules: ownProviderRules(settings),
    addressFault: (baseUrl) => ownAddressFault(settings, baseUrl),
  });
}
