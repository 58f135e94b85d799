import { GatewayError } from '../../kernel/errors.ts';
import { type IdentityId, identityIdOf, type Members, type Role } from '../../kernel/ports/identities.ts';
import type { GroupRole, SignOn, SignOnDomains, SignOns } from '../../kernel/ports/sign-on.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Sealer } from '../sealer.ts';
import type { Session } from '../session-tokens.ts';

export interface SignOnSettingsParts {
  readonly signOns: SignOns;
  readonly domains: Pick<SignOnDomains, 'list'>;
  readonly members: Pick<Members, 'find'>;
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** Why the gateway may not connect to an issuer; undefined if it may. */
  findAddressFault(url: URL): string | undefined;
}

/** What an owner sets. */
export interface SignOnInput {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined keeps the stored one, null is for a public client. */
  readonly clientSecret: string | null | undefined;
  readonly groupsClaim: string | null;
  readonly groupRoles: readonly GroupRole[];
  readonly defaultRole: Role | null;
  readonly isEnforced: boolean;
  /** The id of an owner. */
  readonly breakGlass: string | null;
}

/** How the members of an organization sign on, as its owners set it. */
export class SignOnSettings {
  readonly #parts: SignOnSettingsParts;

  constructor(parts: SignOnSettingsParts) {
    this.#parts = parts;
  }

  find(accountId: string): Promise<SignOn | undefined> {
    return this.#parts.signOns.find(accountId);
  }

  async get(accountId: string): Promise<SignOn> {
    const signOn = await this.find(accountId);
    if (signOn !== undefined) return signOn;
    throw new GatewayError(
      'not_found',
      'the organization has no single sign-on; PUT /v1/organization/sign-on sets it up',
    );
  }

  /** Resolves to the settings before and after. */
  async put(
    { accountId, identityId }: Pick<Session, 'accountId' | 'identityId'>,
    input: SignOnInput,
  ): Promise<{ readonly before: SignOn | undefined; readonly after: SignOn }> {
    const { signOns, clock } = this.#parts;
    if (String(identityId) === accountId)
      throw new GatewayError('forbidden', 'this is your own account; single sign-on is for organizations');
    const before = await this.find(accountId);
    const issuer = this.#issuerOf(input.issuer);
    const after: SignOn = {
      ...{ accountId, issuer, clientId: input.clientId, groupRoles: input.groupRoles },
      secret: this.#sealSecret(accountId, { ...input, issuer }, before),
      groupsClaim: input.groupsClaim ?? undefined,
      defaultRole: input.defaultRole ?? undefined,
      isEnforced: input.isEnforced,
      breakGlass: await this.#ownerWithPassword(accountId, input.breakGlass),
      // Greater than before also if the clock stands still.
      updatedAtMs: Math.max(clock.now(), (before?.updatedAtMs ?? 0) + 1),
    };
    if (after.isEnforced) await this.#requireSafety(after);
    if ((await signOns.put(after, before?.updatedAtMs)) === 'changed')
      throw new GatewayError(
        'invalid_request',
        'somebody else has changed the settings meanwhile; read them again',
      );
    return { before, after };
  }

  /** Ends all sessions that began with it. */
  async delete(accountId: string): Promise<void> {
    if (!(await this.#parts.signOns.delete(accountId))) await this.get(accountId);
  }

  /** Undefined if none is stored; throws if this gateway's secret doesn't open it. */
  openSecret({ accountId, secret }: SignOn): string | undefined {
    if (secret === undefined) return undefined;
    const text = this.#parts.sealer.open(secret, contextOf(accountId));
    if (text === undefined)
      throw new Error("the client secret can't be decrypted with this gateway's secret; store it again");
    return text;
  }

  #issuerOf(text: string): string {
    const url = URL.parse(text);
    const fault =
      url === null || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== ''
        ? 'must be an address such as https://login.example.com, without a query'
        : this.#parts.findAddressFault(url);
    if (fault !== undefined) throw invalidError('issuer', fault);
    return text;
  }

  #sealSecret(
    accountId: string,
    { clientSecret, issuer, clientId }: SignOnInput,
    before: SignOn | undefined,
  ): SignOn['secret'] {
    if (clientSecret === null) return undefined;
    if (clientSecret !== undefined) return this.#parts.sealer.seal(clientSecret, contextOf(accountId));
    // A stored secret goes to nobody but the issuer that it is for.
    if (before?.secret !== undefined && (before.issuer !== issuer || before.clientId !== clientId))
      throw invalidError('client_secret', 'must be sent again, since the issuer or the client is another');
    return before?.secret;
  }

  async #ownerWithPassword(accountId: string, id: string | null): Promise<IdentityId | undefined> {
    if (id === null) return undefined;
    const identityId = identityIdOf(id);
    const member = await this.#parts.members.find(identityId, accountId);
    if (member?.role !== 'owner') throw invalidError('break_glass', 'must be the id of an owner');
    if (member.identity.passwordHash === undefined)
      throw invalidError('break_glass', 'must be an owner with a password');
    return identityId;
  }

  /** Whoever enforces sign-on must not lock everybody out. */
  async #requireSafety({ accountId, breakGlass }: SignOn): Promise<void> {
    if (breakGlass === undefined)
      throw invalidError(
        'break_glass',
        'is needed: an owner who may log in with a password if the provider fails',
      );
    const listed = await this.#parts.domains.list(accountId);
    if (listed.every(({ provenAtMs }) => provenAtMs === undefined))
      throw new GatewayError('domain_unproven', 'enforced sign-on needs a proven domain', {
        param: 'enforced',
      });
  }
}

function contextOf(accountId: string): string {
  return `sign-on\n${accountId}`;
}

function invalidError(param: string, why: string): GatewayError {
  return new GatewayError('invalid_request', `${param}: ${why}`, { param });
}
