import { hash } from 'node:crypto';
import type { Provider } from '../../kernel/provider.ts';
import type { HeaderList } from '../../lib/headers.ts';
import { durationMs } from '../../lib/setting-schemas.ts';
import { omitUndefined } from '../../wire/json-values.ts';
import { PriceOverrides } from '../catalog/price-overrides.ts';
import { anotherOf, compatibleProvider } from '../configured-providers.ts';
import { builtInProviders } from '../index.ts';
import { limits } from '../limits.ts';
import { offeredModels } from '../offered-models.ts';
import type { OwnProviderSettings } from './own-provider-settings.ts';

interface OwnProviderParts {
  readonly accountId: string;
  readonly name: string;
  /** Another one after each change. */
  readonly version: string;
  readonly settings: OwnProviderSettings;
  readonly headers: HeaderList;
}

/** What the operator decides about the providers of accounts. */
export interface OwnProviderRules {
  /** The time limits of the instance, which an account can only shorten. */
  readonly silenceMs: number;
  /** Whether costs count for a ceiling of the operator, so that an account must not choose them. */
  readonly hasFixedPrices: boolean;
}

/** The name of the kind of providers that have the API of OpenAI and no prices. */
const compatibleKind = 'openai-compatible';

/** A provider as an account has defined it. */
export function ownProvider(
  { accountId, name, version, settings, headers }: OwnProviderParts,
  { silenceMs, hasFixedPrices }: OwnProviderRules,
): Provider {
  const { kind, base_url: baseUrl, models, timeouts = {} } = settings;
  const like = builtInProviders.find((provider) => provider.name === kind);
  const { free, reportsCost, ...base } =
    like === undefined
      ? { ...compatibleProvider(name, baseUrl ?? ''), kind: compatibleKind, telemetryName: compatibleKind }
      : anotherOf(like, name);
  const ms = (text: string | undefined, most: number) =>
    text === undefined ? undefined : Math.min(durationMs.parse(text), most);
  const limited = omitUndefined({
    connectMs: ms(timeouts.connect, limits.ownConnectMs),
    answerMs: ms(timeouts.answer, silenceMs),
    silenceMs: ms(timeouts.silence, silenceMs),
  });
  const provider: Provider = {
    ...base,
    ...(free !== undefined && !hasFixedPrices && { free }),
    // A server at another address could report anything.
    ...(reportsCost !== undefined && !(hasFixedPrices && baseUrl !== undefined) && { reportsCost }),
    title: name,
    ownId: `${accountId}/${name}/${version}`,
    requiresProviderPrefix: true,
    ...omitUndefined({
      baseUrl,
      streamUsage: settings.stream_usage,
      locations: settings.resources ?? settings.regions,
      apiVersion: settings.api_version,
    }),
    ...(headers.length > 0 && { headers }),
    ...(Object.keys(limited).length > 0 && { timeouts: limited }),
    ...(models !== undefined && { offered: offeredModels(models) }),
    ...(settings.deployments !== undefined && {
      deployments: new Map(Object.entries(settings.deployments)),
    }),
  };
  return { ...provider, keySlot: ownKeySlot(name, provider.baseUrl) };
}

/**
 * What keys and headers of an account's provider are stored under. It has the origin in it, so that a secret that was given for one server
 * is never sent to another one, whatever is changed in whatever order.
 */
function ownKeySlot(name: string, baseUrl: string): string {
  const origin = baseUrl.includes('{') ? baseUrl : new URL(baseUrl).origin;
  return `${name}@${hash('sha256', origin).slice(0, 24)}`;
}

/** Where the headers of a provider are stored. */
export function headerSlotOf({ keySlot = '' }: Provider): string {
  return `${keySlot}/headers`;
}

/** Whether keys under this slot are for a provider with this name. */
export function isSlotOf(name: string, slot: string): boolean {
  return slot.startsWith(`${name}@`);
}

/** The prices that the account has set. */
export function ownPrices(name: string, { prices = {} }: OwnProviderSettings): PriceOverrides {
  return PriceOverrides.of(
    Object.fromEntries(Object.entries(prices).map(([model, price]) => [`${name}/${model}`, price])),
  );
}
