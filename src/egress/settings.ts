import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { commaSeparatedList } from '../lib/setting-schemas.ts';
import {
  combineSettings,
  envVariable,
  envVariablesByName,
  type PlaceOptions,
  type Setting,
} from '../lib/settings.ts';
import { type AllowedAddress, parseAllowedAddress } from './allow-list.ts';
import type { Certificates } from './egress.ts';
import type { ProxySettings } from './proxies.ts';

const allowedAddresses = commaSeparatedList.transform((items, context): readonly AllowedAddress[] =>
  items.flatMap((item) => {
    const address = parseAllowedAddress(item);
    if (address === undefined)
      context.addIssue(`"${item}" must be an origin such as https://api.example.com, name=origin, or name=*`);
    return address ?? [];
  }),
);

const dnsServers = commaSeparatedList.refine(
  (items) =>
    items.every((item) =>
      /^(?:[\d.]+(?::\d{1,5})?|\[[\da-f:]+\](?::\d{1,5})?|[\da-f:]+)$/i.test(item.slice(0, 60)),
    ),
  'must be addresses such as 10.0.0.2, 10.0.0.2:5353',
);

const proxyUrl = z.string().transform((text, context): URL => {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '') return url;
  // The value may contain a password.
  context.addIssue('must be an address such as http://proxy.example.com:3128');
  return z.NEVER;
});

const providerProxy = z.union([z.literal('off').transform(() => undefined), proxyUrl]);

const pemFile = z
  .string()
  .min(1)
  .transform((file, context): string => {
    if (file.startsWith('-----BEGIN ')) return file;
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      context.addIssue(`can't be read: ${String(Object(error).message)}`);
      return z.NEVER;
    }
  });

/** Programs read these variables in both cases. */
function eitherCase<Value>(
  name: string,
  schema: z.ZodType<Value | undefined>,
  place: PlaceOptions,
): Setting<Value | undefined> {
  const fields = {
    lower: envVariable(name.toLowerCase(), schema, place),
    upper: envVariable(name, schema, place),
  };
  return combineSettings(fields, ({ lower, upper }) => lower ?? upper);
}

/** Settings of outbound connections. */
export const egressSettings = {
  /** Addresses that modules may connect to, and that may be private. */
  egressAllow: envVariable('WEIR_EGRESS_ALLOW', allowedAddresses.default([]), {
    at: 'egress.allow',
    form: 'list',
  }),
  /** Whether only the providers that the operator has configured, and the stores, are connected to. */
  isAirgapped: envVariable(
    'WEIR_AIRGAP',
    z
      .enum(['on', 'off'], 'must be on or off')
      .default('off')
      .transform((value) => value === 'on'),
    'egress.airgap',
  ),
  /** Asked about domains of organizations; the servers of the machine by default. */
  dnsServers: envVariable('WEIR_DNS_SERVERS', dnsServers.default([]), {
    at: 'egress.dns_servers',
    form: 'list',
  }),
  proxies: combineSettings(
    {
      https: eitherCase('HTTPS_PROXY', proxyUrl.optional(), { at: 'egress.proxy.https', isSecret: true }),
      http: eitherCase('HTTP_PROXY', proxyUrl.optional(), { at: 'egress.proxy.http', isSecret: true }),
      noProxy: eitherCase('NO_PROXY', commaSeparatedList.optional(), {
        at: 'egress.proxy.except',
        form: 'list',
      }),
      byProvider: envVariablesByName('WEIR_PROXY_*', providerProxy, {
        at: 'providers.*.proxy',
        isSecret: true,
      }),
    },
    ({ noProxy = [], https, http, byProvider }): ProxySettings | undefined =>
      https === undefined && http === undefined && byProvider.size === 0
        ? undefined
        : { https, http, byProvider, noProxy: noProxy.map((rule) => rule.toLowerCase()) },
  ),
  /** Authorities and client certificates, by provider. */
  certificates: combineSettings(
    {
      ca: envVariablesByName('WEIR_TLS_CA_*', pemFile, 'providers.*.tls.ca'),
      cert: envVariablesByName('WEIR_TLS_CERT_*', pemFile, 'providers.*.tls.cert'),
      key: envVariablesByName('WEIR_TLS_KEY_*', pemFile, 'providers.*.tls.key'),
    },
    (files): ReadonlyMap<string, Certificates> => {
      const byProvider = new Map<string, Certificates>();
      for (const kind of ['ca', 'cert', 'key'] as const)
        for (const [name, text] of files[kind])
          byProvider.set(name, { ...byProvider.get(name), [kind]: text });
      return byProvider;
    },
  ),
} as const;
