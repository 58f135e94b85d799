import { checkOwnProviderName } from '../calls/own-providers/own-provider-name.ts';
import { readOwnProvider } from '../calls/own-providers/stored-own-provider.ts';
import { AllowList } from '../egress/allow-list.ts';
import { accountProvidersPurpose } from '../egress/provider-egress.ts';
import { GatewayError } from '../kernel/errors.ts';
import { configuredProviders } from '../providers/configured-providers.ts';
import type { OwnProviderRules } from '../providers/own/own-provider.ts';
import { publicAddressFault } from '../providers/own/own-provider-settings.ts';
import type { Settings } from './settings.ts';

/** Why accounts can't define providers on this gateway; undefined if they can. */
export function ownProviderRefusal({ mode, accountProviders, isAirgapped }: Settings): string | undefined {
  if (isAirgapped) return 'WEIR_AIRGAP is on: accounts can’t define providers';
  return mode === 'local' || accountProviders
    ? undefined
    : 'accounts can’t define providers on this gateway; its operator can set WEIR_ACCOUNT_PROVIDERS=on';
}

export function ownProviderRules(settings: Settings): OwnProviderRules {
  return {
    silenceMs: settings.upstreamTimeoutMs,
    hasFixedPrices: settings.mode === 'cloud' && hasCeilings(settings),
  };
}

/** What is wrong with the address of an account's provider; undefined if it may be stored. */
export function ownAddressFault({ mode, egressAllow }: Settings, baseUrl: string): string | undefined {
  const allowList = new AllowList(egressAllow);
  const isAllowed = allowList.allowsByName(accountProvidersPurpose, new URL(baseUrl).origin);
  return mode === 'local' || isAllowed ? undefined : publicAddressFault(baseUrl);
}

/** Rejects a provider in a file of another instance that this one would not store. */
export function checkImportedProvider(settings: Settings, name: string, content: unknown): void {
  const refusal = ownProviderRefusal(settings);
  if (refusal !== undefined) throw new GatewayError('forbidden', refusal);
  checkOwnProviderName(name, (other) => configuredProviders(settings).some((one) => one.name === other));
  const stored = readOwnProvider(content);
  if (stored === undefined) throw new GatewayError('invalid_request', 'its settings can’t be read');
  const { base_url: baseUrl } = stored.settings;
  const fault = baseUrl === undefined ? undefined : ownAddressFault(settings, baseUrl);
  if (fault !== undefined) throw new GatewayError('invalid_request', `its address ${fault}`);
}

/** Whether the operator bounds what accounts spend: an account that chose its prices would choose its bounds. */
function hasCeilings({ pipeline = '', pipelines = {} }: Settings): boolean {
  return /\bcost-guard\b/.test(`${pipeline} ${JSON.stringify(pipelines)}`);
}
