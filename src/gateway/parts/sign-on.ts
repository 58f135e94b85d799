import { Sealer } from '../../accounts/sealer.ts';
import { ConnectionTest } from '../../accounts/sign-on/connection-test.ts';
import { DomainClaims } from '../../accounts/sign-on/domain-claims.ts';
import { Issuers } from '../../accounts/sign-on/issuers.ts';
import { Logouts } from '../../accounts/sign-on/logouts.ts';
import { SignOnAttempts } from '../../accounts/sign-on/sign-on-attempts.ts';
import { SignOnSettings } from '../../accounts/sign-on/sign-on-settings.ts';
import { SingleSignOn } from '../../accounts/sign-on/single-sign-on.ts';
import { TokenIssuers } from '../../accounts/token-issuers/token-issuers.ts';
import type { Audit } from '../../audit/audit.ts';
import { TextRecords } from '../../egress/text-records.ts';
import type { Module } from '../../kernel/module.ts';
import { signOnRoutes } from '../../server/api/routes/sign-on.ts';
import { signOnDomainRoutes } from '../../server/api/routes/sign-on-domains.ts';
import { signOnSettingsRoutes } from '../../server/api/routes/sign-on-settings.ts';
import { tokenIssuerRoutes } from '../../server/api/routes/token-issuers.ts';
import type { Log } from '../../telemetry/log.ts';
import { createContentEraser } from '../erase-steps.ts';
import type { IssuerAccess } from '../issuer-access.ts';
import type { Part } from '../part.ts';
import type { RootSecrets } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import type { EmbeddingsPart } from './embeddings.ts';
import type { IdentityPart, PublicAddress } from './identity.ts';
import type { Stores } from './stores.ts';

interface SignOnParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly roots: RootSecrets;
  readonly stores: Stores;
  readonly issuerAccess: IssuerAccess;
  readonly audit: Pick<Audit, 'record'>;
  readonly identity: IdentityPart;
  readonly modules: ReadonlyMap<string, Module>;
  readonly embeddingsPart: EmbeddingsPart;
  readonly address: PublicAddress;
  /** Called after the roles of groups have changed. */
  settleRoles(accountId: string, actor: string): Promise<void>;
}

/** Single sign-on of organizations; none in local mode. */
export function signOnPart(parts: SignOnParts): Part {
  const { settings, roots, stores, audit, identity, address } = parts;
  const { services, cookies } = identity;
  if (services === undefined) return {};
  const { database, clock, shared } = stores;
  const { signOns, signOnDomains: domains, signOnAdmissions: admissions, members, accounts } = database;
  const counts = shared.rateLimiter;
  const { fetch, findAddressFault } = parts.issuerAccess;
  const signOnSettings = new SignOnSettings({
    ...{ signOns, domains, members, clock },
    sealer: new Sealer(roots.deriveKeys('sign-on secrets')),
    findAddressFault,
  });
  const issuers = new Issuers({
    fetch,
    clock,
    openSecret: (signOn) => signOnSettings.openSecret(signOn),
  });
  const signOn = new SingleSignOn({
    ...{ signOns, domains, admissions, members, issuers, counts, address, clock },
    tokens: services.tokens,
    attempts: new SignOnAttempts(new Sealer(roots.deriveKeys('sign-on attempts')), counts, clock),
    versions: shared.versions,
    forgetContent: createContentEraser(parts),
  });
  const tokenIssuers = new TokenIssuers({
    tokenIssuers: database.tokenIssuers,
    apiKeys: database.apiKeys,
    ...{ versions: shared.versions, clock, findAddressFault },
  });
  const texts = new TextRecords(settings.dnsServers);
  const textsOf = settings.isAirgapped ? undefined : (name: string) => texts.of(name);
  return {
    routes: [
      ...signOnSettingsRoutes({
        ...{ settings: signOnSettings, signOn, address },
        onChanged: ({ accountId, identityId }) => parts.settleRoles(accountId, `user:${identityId}`),
        test: new ConnectionTest({ issuers, domains, counts }),
      }),
      ...tokenIssuerRoutes(tokenIssuers, address),
      ...signOnDomainRoutes({ claims: new DomainClaims({ domains, counts, clock, textsOf }), accounts }),
      ...signOnRoutes({
        ...{ signOn, cookies, address },
        logouts: new Logouts({ signOns, admissions, issuers, counts }),
        record: (entry) => audit.record(entry),
      }),
    ],
    features: ['sign-on', 'token-issuers'],
  };
}
